package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config describes a Registry in JSON, for the command tfregistry. Unknown fields are errors.
type Config struct {
	Hosts map[string]HostConfig `json:"hosts"`
	// Lazy leaves the packages to be generated when they are first asked for.
	Lazy bool `json:"lazy"`
}

// HostConfig describes a host, or changes one that runs: what is absent stays as it is. See the methods of Host for the meaning.
type HostConfig struct {
	Down         *bool               `json:"down"`
	LatencyMS    *int                `json:"latency_ms"`
	Throttle     *int                `json:"throttle"` // requests per second, 0: no limit
	HTTP1Only    *bool               `json:"http1_only"`
	Token        *string             `json:"token"` // empty: open to everybody
	ZipToken     *string             `json:"zip_token"`
	ZipUser      *string             `json:"zip_user"`
	ZipPassword  string              `json:"zip_password"`
	ServiceURL   *string             `json:"service_url"`
	ZipHost      *string             `json:"zip_host"`
	ZipBase      *string             `json:"zip_base"`
	RelativeURLs *bool               `json:"relative_urls"`
	Discovery    *DiscoveryConfig    `json:"discovery"`
	Recover      bool                `json:"recover"` // forget faults before Faults and Providers are applied
	Faults       []FaultConfig       `json:"faults"`
	Providers    map[string]Provided `json:"providers"` // by namespace/type
}

// DiscoveryConfig replaces the discovery document.
type DiscoveryConfig struct {
	Status      int    `json:"status"`
	ContentType string `json:"content_type"`
	Body        string `json:"body"`
}

// FaultConfig is a Fault at an endpoint (absent: all), for the next Times requests, or for ever if that is 0.
type FaultConfig struct {
	Endpoint       string `json:"endpoint"`
	Times          int    `json:"times"`
	DelayMS        int    `json:"delay_ms"`
	Hang           bool   `json:"hang"`
	Drop           bool   `json:"drop"`
	Status         int    `json:"status"`
	RetryAfter     string `json:"retry_after"`
	Body           string `json:"body"`
	ContentType    string `json:"content_type"`
	Redirect       string `json:"redirect"`
	Truncate       bool   `json:"truncate"`
	BytesPerSecond int    `json:"bytes_per_second"`
	Gzip           bool   `json:"gzip"`
}

// Provided describes a provider.
type Provided struct {
	Versions map[string]VersionConfig `json:"versions"`
	ListRaw  *string                  `json:"list_raw"`
	Warnings []string                 `json:"warnings"`
	Faults   []FaultConfig            `json:"faults"`
}

// VersionConfig describes a version.
type VersionConfig struct {
	Platforms    []string          `json:"platforms"`
	Size         *int64            `json:"size"` // bytes of the executable
	Salt         *string           `json:"salt"`
	RawFiles     map[string]string `json:"raw_files"` // platform → path of a zip
	Files        []FileConfig      `json:"files"`     // added to the packages of all platforms
	Protocols    []string          `json:"protocols"`
	Manifest     bool              `json:"manifest"`
	Unlisted     bool              `json:"unlisted"`
	Ephemeral    EphemeralKind     `json:"ephemeral"`
	EphemeralTTL int               `json:"ephemeral_ttl_ms"`
	Lie          *LieConfig        `json:"lie"`
}

// FileConfig is a File; Mode is octal text, "0644".
type FileConfig struct {
	Name    string `json:"name"`
	Mode    string `json:"mode"`
	Content string `json:"content"`
	Size    int64  `json:"size"`
	Deflate bool   `json:"deflate"`
}

// LieConfig is a Lie.
type LieConfig struct {
	WrongShasum   bool     `json:"wrong_shasum"`
	WrongSums     bool     `json:"wrong_sums"`
	WrongZip      bool     `json:"wrong_zip"`
	WrongPlatform string   `json:"wrong_platform"`
	Filename      string   `json:"filename"`
	DownloadURL   string   `json:"download_url"`
	Protocols     []string `json:"protocols"`
	NoKeys        bool     `json:"no_keys"`
	Body          string   `json:"body"`
}

// ReadConfig reads a Config; what stands behind the object is an error too.
func ReadConfig(from io.Reader) (Config, error) {
	var c Config
	err := decodeStrict(from, &c)
	return c, err
}

func decodeStrict(from io.Reader, into any) error {
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("registry configuration: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("registry configuration: there is something behind the object")
	}
	return nil
}

// Apply makes or changes the hosts of a Config, in the order of their names.
func (r *Registry) Apply(c Config) error {
	for _, name := range slices.Sorted(maps.Keys(c.Hosts)) {
		if err := c.Hosts[name].apply(r.Host(name)); err != nil {
			return fmt.Errorf("registry configuration: host %s: %w", name, err)
		}
	}
	if c.Lazy {
		return nil
	}
	return r.Prepare()
}

// set calls a setter if there is a value.
func set[T any](value *T, setter func(T) *Host) {
	if value != nil {
		setter(*value)
	}
}

func (c HostConfig) apply(h *Host) error {
	set(c.LatencyMS, func(ms int) *Host { return h.SetLatency(time.Duration(ms) * time.Millisecond) })
	set(c.Throttle, h.Throttle)
	set(c.HTTP1Only, h.SetHTTP1Only)
	set(c.Token, h.RequireToken)
	set(c.ZipToken, func(t string) *Host { return h.RequireAuth(Auth{Token: t}, EndpointZip) })
	set(c.ZipUser, func(u string) *Host { return h.RequireBasic(u, c.ZipPassword) })
	set(c.ServiceURL, h.SetServiceURL)
	set(c.ZipHost, h.SetZipHost)
	set(c.ZipBase, h.SetZipBase)
	set(c.RelativeURLs, h.SetRelativeURLs)
	if d := c.Discovery; d != nil {
		h.SetDiscovery(d.Status, d.ContentType, d.Body)
	}
	if c.Recover {
		h.Recover()
	}
	for _, f := range c.Faults {
		if err := applyFault(f, h.Fail, h.FailNext); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if strings.Count(name, "/") != 1 {
			return fmt.Errorf("provider %q: found no namespace/type", name)
		}
		if err := c.Providers[name].apply(h.Provider(name)); err != nil {
			return fmt.Errorf("provider %s: %w", name, err)
		}
	}
	set(c.Down, h.SetDown) // last: nothing above needs the host up, and a host that comes up is complete
	return nil
}

func (c Provided) apply(p *Provider) error {
	if c.ListRaw != nil {
		p.ListRaw(*c.ListRaw)
	}
	if c.Warnings != nil {
		p.Warnings(c.Warnings...)
	}
	for _, f := range c.Faults {
		if err := applyFault(f, p.Fail, p.FailNext); err != nil {
			return err
		}
	}
	for _, number := range slices.Sorted(maps.Keys(c.Versions)) {
		if err := c.Versions[number].apply(p, number); err != nil {
			return fmt.Errorf("version %s: %w", number, err)
		}
	}
	return nil
}

func (c VersionConfig) apply(p *Provider, number string) error {
	v := p.Version(number, c.Platforms)
	files := make([]File, 0, len(c.Files))
	for _, f := range c.Files {
		mode, err := strconv.ParseUint(or(f.Mode, "0"), 8, 32)
		if err != nil {
			return fmt.Errorf("file %s: mode %q is not octal", f.Name, f.Mode)
		}
		files = append(files, File{
			Name: f.Name, Mode: fs.FileMode(mode), Content: []byte(f.Content), Size: f.Size, Deflate: f.Deflate,
		})
	}
	v.EachZip(func(z *Zip) {
		if c.Size != nil {
			z.Size(*c.Size)
		}
		if c.Salt != nil {
			z.Salt(*c.Salt)
		}
		z.Add(files...)
	})
	for _, platform := range slices.Sorted(maps.Keys(c.RawFiles)) {
		if !slices.Contains(v.platformNames(), platform) {
			return fmt.Errorf("raw_files names %q, which is not among the platforms", platform)
		}
		v.Zip(platform).RawFile(c.RawFiles[platform])
	}
	if c.Protocols != nil {
		v.Protocols(c.Protocols...)
	}
	if c.Manifest {
		v.Manifest()
	}
	if c.Unlisted {
		v.Unlist()
	}
	switch c.Ephemeral {
	case "":
	case EphemeralQuery, EphemeralPath, EphemeralSegment, EphemeralOnce:
		v.Ephemeral(c.Ephemeral, time.Duration(c.EphemeralTTL)*time.Millisecond)
	default:
		return fmt.Errorf("ephemeral is %q, wanted query, path, segment or once", c.Ephemeral)
	}
	if l := c.Lie; l != nil {
		v.Lie(Lie{
			WrongShasum: l.WrongShasum, WrongSums: l.WrongSums, WrongZip: l.WrongZip, WrongPlatform: l.WrongPlatform,
			Filename: l.Filename, DownloadURL: l.DownloadURL, Protocols: l.Protocols, NoKeys: l.NoKeys, Body: l.Body,
		})
	}
	return nil
}

// applyFault calls always or next with the fault, as Times says.
func applyFault[T any](c FaultConfig, always func(string, Fault) T, next func(string, int, Fault) T) error {
	if err := checkEndpoint(c.Endpoint); err != nil {
		return err
	}
	f := Fault{
		Delay: time.Duration(c.DelayMS) * time.Millisecond, Hang: c.Hang, Drop: c.Drop, Status: c.Status, RetryAfter: c.RetryAfter,
		ContentType: c.ContentType, Redirect: c.Redirect, Truncate: c.Truncate, BytesPerSecond: c.BytesPerSecond, Gzip: c.Gzip,
	}
	if c.Body != "" {
		f.Body = []byte(c.Body)
	}
	if c.Times > 0 {
		next(c.Endpoint, c.Times, f)
	} else {
		always(c.Endpoint, f)
	}
	return nil
}
