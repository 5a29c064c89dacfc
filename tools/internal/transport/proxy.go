package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// proxyVariables in the order of Go, which takes the first of a pair that is not empty.
var proxyVariables = [][2]string{{"HTTPS_PROXY", "https_proxy"}, {"HTTP_PROXY", "http_proxy"}}

// CheckProxies returns an error that names a proxy variable whose value is no usable URL, and never shows the value, which may hold a password.
// Go drops such a value and connects without the proxy, past whatever it was to enforce.
func CheckProxies(getenv func(string) string) error {
	for _, pair := range proxyVariables {
		for _, name := range pair {
			value := getenv(name)
			if value == "" {
				continue
			}
			if !usableProxy(value) {
				return &finalError{text: fmt.Sprintf("the environment variable %s holds no usable URL of a proxy: write it as http://host:port, or unset it", name)}
			}
			break
		}
	}
	return nil
}

// usableProxy reads a value as Go does: a scheme may be left out.
func usableProxy(value string) bool {
	u, err := url.Parse(value)
	if err != nil || u.Scheme == "" || u.Host == "" {
		if strings.Contains(value, "://") {
			return false
		}
		u, err = url.Parse("http://" + value)
	}
	return err == nil && u.Hostname() != "" && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme)
}

// Proxy is http.ProxyFromEnvironment, except that an unusable variable is an error. It is for http.Transport.
func Proxy(r *http.Request) (*url.URL, error) {
	if err := CheckProxies(os.Getenv); err != nil {
		return nil, err
	}
	return http.ProxyFromEnvironment(r)
}
