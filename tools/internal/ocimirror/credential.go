package ocimirror

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// credential looks a host up in the files of container tools, at the first request that is refused without.
func credential(getenv func(string) string) auth.CredentialFunc {
	return func(ctx context.Context, host string) (auth.Credential, error) {
		for _, path := range files(runtime.GOOS, getenv) {
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				continue
			}
			store, err := credentials.NewStore(path, credentials.StoreOptions{})
			if err != nil { // the cause may quote the file
				return auth.EmptyCredential, fmt.Errorf("the credentials file %s cannot be read; correct it", path)
			}
			found, err := credentials.Credential(store)(ctx, host)
			if err != nil {
				return auth.EmptyCredential, fmt.Errorf("the credentials of host %s in %s could not be had", host, path)
			}
			if found != auth.EmptyCredential {
				return found, nil
			}
		}
		return auth.EmptyCredential, nil
	}
}

// files are the places of credentials on a system, in order.
func files(goos string, getenv func(string) string) []string {
	home := getenv("HOME")
	if goos == "windows" {
		home = getenv("USERPROFILE")
	}
	var list []string
	if dir := getenv("XDG_RUNTIME_DIR"); dir != "" {
		list = append(list, filepath.Join(dir, "containers", "auth.json"))
	}
	if dir := getenv("XDG_CONFIG_HOME"); dir != "" {
		list = append(list, filepath.Join(dir, "containers", "auth.json"))
	} else if home != "" {
		list = append(list, filepath.Join(home, ".config", "containers", "auth.json"))
	}
	if dir := getenv("DOCKER_CONFIG"); dir != "" {
		list = append(list, filepath.Join(dir, "config.json"))
	} else if home != "" {
		list = append(list, filepath.Join(home, ".docker", "config.json"))
	}
	return list
}

// unwrapURL strips the URL that net/http puts around its errors: that of a blob may be a redirect's target with a signature.
func unwrapURL(err error) error {
	var wrapped *url.Error
	for errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err
}
