package sources

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/fsmirror"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/netmirror"
	"rules_tf_mirror/tools/internal/ocimirror"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/transport"
)

// Options configure a Set; all fields are needed.
type Options struct {
	Request   *manifest.Request
	Config    func() *cliconfig.Config // is called at most once, and only for a question that no fact answers
	Transport *transport.Client
	Download  *download.Client // for archives of mirrors that tell no sha256
	Getenv    func(string) string
}

// Set is all places that a request takes providers from. Each question is asked once; it is safe for concurrent use.
type Set struct {
	options Options
	built   func() *built
	secrets foreign.Secrets // tokens that were handed out
	asked   atomic.Bool     // a question came
}

// New returns a Set. A request that Check refuses fails every question.
func New(o Options) *Set {
	s := &Set{options: o}
	s.built = sync.OnceValue(s.build)
	return s
}

// place is one source, in any protocol.
type place interface {
	Service(ctx context.Context, p addrs.Provider) error
	Versions(ctx context.Context, p addrs.Provider) (*registry.VersionList, error)
	Download(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform) (*registry.Package, error)
	String() string
}

// explainer is a place that can say why it knows nothing (B24).
type explainer interface {
	Explain(ctx context.Context, p addrs.Provider) string
}

// member is a place with what decides whether it is asked.
type member struct {
	place
	method cliconfig.Method
	host   string // of a network mirror, in comparison form: whose credentials count
}

// built is what the first question makes.
type built struct {
	err     error // fails every question
	config  *cliconfig.Config
	follow  bool // the CLI configuration's provider_installation
	direct  *registry.Client
	policy  transport.Policy
	members []member
	note    string // where an explicit provider_installation is
	over    map[addrs.Provider]string
}

func (s *Set) build() *built {
	defer s.asked.Store(true)
	plan, err := read(s.options.Request)
	if err != nil {
		return &built{err: problem.Wrap(problem.Config, err, "%v", err)}
	}
	if err := transport.CheckProxies(s.options.Getenv); err != nil {
		return &built{err: problem.Wrap(problem.Config, err, "%v", err)}
	}
	config := s.options.Config()
	b := &built{config: config, follow: plan.config}
	getenv := withProtocols(s.options.Getenv, config.RegistryProtocols)
	b.policy = registry.Policy(getenv)
	tokens := credentials.Remember(config.CredentialsSource(), s.secrets.Add)
	services := config.ServiceURLs()
	maps.Copy(services, plan.services)
	b.direct = registry.New(registry.Options{
		Transport:   s.options.Transport,
		Credentials: credentials.Withhold(tokens, plan.withheld),
		Tool:        s.options.Request.Tool,
		ToolVersion: s.options.Request.ToolVersion,
		Getenv:      getenv,
		Services:    services,
	})
	methods := plan.methods
	if plan.config {
		methods = s.configured(b)
	}
	for _, m := range methods {
		b.members = append(b.members, s.member(b, m, tokens))
	}
	return b
}

// configured returns the methods of the CLI configuration.
func (s *Set) configured(b *built) []cliconfig.Method {
	if installation := b.config.Installation; installation != nil {
		b.note, b.over = installation.Position.String(), installation.DevOverrides
		return installation.Methods
	}
	// An implied mirror that cannot be read reports itself when it is asked.
	var held []addrs.Provider
	for _, dir := range b.config.ImpliedMirrors {
		found, _ := s.filesystem(dir, "implied").Held()
		held = append(held, found...)
	}
	return b.config.Implied(held)
}

func (s *Set) filesystem(dir, private string) *fsmirror.Mirror {
	return fsmirror.New(fsmirror.Options{Root: dir, Tool: s.options.Request.Tool, Private: private})
}

func (s *Set) member(b *built, m cliconfig.Method, tokens credentials.Source) member {
	request := s.options.Request
	switch m.Kind {
	case cliconfig.NetworkMirror:
		client := netmirror.New(netmirror.Options{
			Base:        m.URL,
			AppendSlash: !b.follow,
			Transport:   s.options.Transport,
			Download:    s.options.Download,
			Credentials: tokens,
			Header:      registry.Header(request.Tool, request.ToolVersion, s.options.Getenv),
			Policy:      b.policy,
		})
		return member{client, m, client.Host()}
	case cliconfig.FilesystemMirror:
		private := ""
		if b.follow {
			private = "implied, because there is no provider_installation block"
			if m.Position != (cliconfig.Position{}) {
				private = "from " + m.Position.String()
			}
		}
		return member{s.filesystem(m.Path, private), m, ""}
	case cliconfig.OCIMirror:
		mirror, err := ocimirror.New(ocimirror.Options{
			Template: m.RepositoryTemplate, Include: m.Include, Transport: s.options.Transport, Policy: b.policy, Getenv: s.options.Getenv,
			UserAgent: registry.Header(request.Tool, request.ToolVersion, s.options.Getenv).Get("User-Agent"),
		})
		if err != nil {
			return member{broken{problem.Wrap(problem.Config, err, "%s: oci_mirror: %v", m.Position, err)}, m, ""}
		}
		return member{mirror, m, ""}
	default:
		return member{origin{b.direct}, m, ""}
	}
}

// places returns the places that may serve a provider, or why there is none, or a defect that forbids to ask one of them.
func (b *built) places(p addrs.Provider) ([]member, error) {
	if b.err != nil {
		return nil, b.err
	}
	var members []member
	for _, m := range b.members {
		if !m.method.Admits(p) {
			continue
		}
		if host, concerned := b.concerned(m, p); concerned {
			if err := b.config.Err(host, b.follow); err != nil {
				return nil, err
			}
		}
		members = append(members, m)
	}
	if len(members) > 0 {
		return members, nil
	}
	if err := b.config.Err(p.Host, b.follow); err != nil && b.follow {
		return nil, err
	}
	where := `"sources" of the request`
	if b.follow {
		where = "provider_installation at " + b.note
	}
	return nil, problem.New(problem.NotFound, "no source may serve %s: the include and exclude patterns of %s admit it nowhere; add a source for it, such as direct", p, where)
}

// concerned tells whether defects of the CLI configuration forbid to ask a place, and whose host's: the configuration has nothing to say to a
// directory or an OCI registry that the request names.
func (b *built) concerned(m member, p addrs.Provider) (host string, concerned bool) {
	switch m.method.Kind {
	case cliconfig.Direct:
		return p.Host, true
	case cliconfig.NetworkMirror:
		return m.host, true
	default:
		return "", b.follow
	}
}

// Places names the places of a provider in the singular, for messages: "… lists no version".
func (s *Set) Places(p addrs.Provider) string {
	if !s.asked.Load() {
		return "the registry"
	}
	members, err := s.built().places(p)
	if err != nil {
		return "the registry"
	}
	return s.secrets.Remove(named(members))
}

func named(members []member) string {
	if len(members) == 1 {
		return members[0].String()
	}
	var names []string
	for _, m := range members {
		names = append(names, m.String())
	}
	return "the union of all sources (" + strings.Join(names, ", ") + ")"
}

// Warnings are what the CLI configuration has to say, one line each. Nothing is read for them: without a question there are none.
func (s *Set) Warnings() []string {
	if !s.asked.Load() {
		return nil
	}
	b := s.built()
	if b.err != nil {
		return nil
	}
	var texts []string
	for _, w := range b.config.Warnings {
		if w.Block == cliconfig.BlockPluginCache || w.Block == cliconfig.BlockProviderInstallation && !b.follow {
			continue
		}
		texts = append(texts, w.String())
	}
	seen := map[addrs.Provider]bool{}
	for _, entry := range s.options.Request.Providers {
		p, err := addrs.Parse(entry.Source, s.options.Request.Tool)
		if dir, ok := b.over[p]; err == nil && ok && !seen[p] {
			seen[p] = true
			texts = append(texts, fmt.Sprintf("%s: dev_overrides at %s names %s for it, which is not used here: only released packages are recorded", p, b.note, dir))
		}
	}
	return slices.Compact(texts)
}
