// Command tfregistry runs the fixture registry for scripts and for tests of other processes.
//
//	tfregistry -config hosts.json -dir DIR
//
// It prints one line of JSON when it is ready, serves until SIGINT or SIGTERM and then exits with 0. The format of the configuration is
// registry.Config, that of the administration is in registry/admin.go.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"rules_tf_mirror/tests/registry"
)

// ready is the line that tells callers where everything is.
type ready struct {
	URL                string `json:"url"`
	Port               int    `json:"port"`
	Proxy              string `json:"proxy"`
	Plain              string `json:"plain"`
	CA                 string `json:"ca"`
	CABundle           string `json:"ca_bundle"`
	TrustStore         string `json:"truststore"`
	TrustStorePassword string `json:"truststore_password"`
	Admin              string `json:"admin"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tfregistry:", err)
		os.Exit(2)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("tfregistry", flag.ContinueOnError)
	config := flags.String("config", "", "JSON `file` that describes hosts and providers; - is stdin; none: no hosts")
	dir := flags.String("dir", "", "`directory` for certificates and packages, made if missing; required")
	var opts registry.Options
	flags.IntVar(&opts.Port, "port", 0, "TLS port, 0 for a free one")
	flags.IntVar(&opts.ProxyPort, "proxy-port", 0, "proxy port, 0 for a free one")
	flags.IntVar(&opts.AdminPort, "admin-port", 0, "administration port, 0 for a free one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || flags.NArg() > 0 {
		return fmt.Errorf("usage: tfregistry -config FILE -dir DIR")
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	c, err := readConfig(*config)
	if err != nil {
		return err
	}
	opts.Dir = *dir
	r, err := registry.New(opts)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Apply(c); err != nil {
		return err
	}
	if err := json.NewEncoder(stdout).Encode(ready{
		URL: r.URL(), Port: r.Port(), Proxy: r.ProxyURL(), Plain: r.PlainURL(), CA: r.CAFile(), CABundle: r.CABundleFile(),
		TrustStore: r.TrustStoreFile(), TrustStorePassword: registry.TrustStorePassword, Admin: r.AdminURL(),
	}); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func readConfig(path string) (registry.Config, error) {
	switch path {
	case "":
		return registry.Config{}, nil
	case "-":
		return registry.ReadConfig(os.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return registry.Config{}, err
	}
	defer f.Close()
	return registry.ReadConfig(f)
}
