package facts

import (
	"fmt"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/versions"
)

// Kind is the first part of a key.
type Kind string

// The kinds of facts that resolve asks for and answers. verified/, signer/ and retry/ facts are not its business.
const (
	KindResolve Kind = "resolve"
	KindPackage Kind = "package"
	KindTool    Kind = "tool"
)

// Key is a key in its parts. Which fields are set depends on the kind.
type Key struct {
	Kind        Kind
	Provider    addrs.Provider      // resolve and package
	Constraint  versions.Constraint // resolve; Any for latest
	Version     versions.Version    // package
	Tool        addrs.Tool          // tool
	ToolVersion string              // tool; as recorded
	Platform    platforms.Platform  // package and tool
}

// String returns the key that k was read from.
func (k Key) String() string {
	switch k.Kind {
	case KindPackage:
		return PackageKey(k.Provider, k.Version.String(), k.Platform)
	case KindTool:
		return ToolKey(k.Tool, k.ToolVersion, k.Platform)
	default:
		return ResolveKey(k.Provider, k.Constraint.String())
	}
}

// ParseKey reads a key of one of the three kinds, in exactly the spelling that ResolveKey, PackageKey and ToolKey make. Errors are
// *problem.Error of kind response that name the key and the repair.
func ParseKey(key string) (Key, error) {
	k, err := parseKey(key)
	if err == nil && k.String() != key {
		err = fmt.Errorf("its key is written %q", k)
	}
	if err != nil {
		return Key{}, malformed(key, err)
	}
	return k, nil
}

func parseKey(key string) (Key, error) {
	kind, rest, _ := strings.Cut(key, "/")
	switch k := (Key{Kind: Kind(kind)}); k.Kind {
	case KindResolve:
		return k, k.parseResolve(rest)
	case KindPackage:
		return k, k.parsePackage(rest)
	case KindTool:
		return k, k.parseTool(rest)
	}
	return Key{}, fmt.Errorf("a key begins with resolve/, package/ or tool/, not %q", kind)
}

func (k *Key) parseResolve(rest string) error {
	parts := strings.SplitN(rest, "/", 4)
	if len(parts) != 4 {
		return fmt.Errorf("its key is not resolve/<host>/<namespace>/<type>/<constraint>")
	}
	if err := k.parseProvider(parts[:3]); err != nil {
		return err
	}
	if parts[3] == Latest {
		return nil
	}
	var err error
	k.Constraint, err = versions.ParseConstraint(parts[3])
	return err
}

func (k *Key) parsePackage(rest string) error {
	parts := strings.Split(rest, "/")
	if len(parts) != 5 {
		return fmt.Errorf("its key is not package/<host>/<namespace>/<type>/<version>/<os>_<arch>")
	}
	if err := k.parseProvider(parts[:3]); err != nil {
		return err
	}
	var err error
	if k.Version, err = versions.Parse(parts[3]); err != nil {
		return err
	}
	k.Platform, err = platforms.Parse(parts[4])
	return err
}

func (k *Key) parseTool(rest string) error {
	parts := strings.Split(rest, "/")
	if len(parts) != 3 || parts[1] == "" {
		return fmt.Errorf("its key is not tool/<terraform or tofu>/<version>/<os>_<arch>")
	}
	var err error
	if k.Tool, err = addrs.ParseTool(parts[0]); err != nil {
		return err
	}
	k.ToolVersion = parts[1]
	k.Platform, err = platforms.Parse(parts[2])
	return err
}

// parseProvider reads the three parts of an address. Terraform's rules admit every address that tofu's do, apart from hosts and
// types that no key can have; an entry was read by its own tool's rules before its key was made.
func (k *Key) parseProvider(parts []string) error {
	var err error
	k.Provider, err = addrs.Parse(strings.Join(parts, "/"), addrs.Terraform)
	return err
}
