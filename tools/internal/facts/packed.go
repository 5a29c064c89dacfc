package facts

import (
	"fmt"
	"strings"
	"unicode"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/versions"
)

// ParsePacked reads the name of a zip in a filesystem mirror: terraform-provider-<type>_<version>_<os>_<arch>[_…].zip, compared in lower
// case (R-FS-3). typ is the type in normal form. ok is false for every other name, and for a platform that no registry could have.
func ParsePacked(name, typ string) (v versions.Version, platform platforms.Platform, ok bool) {
	rest, hasPrefix := strings.CutPrefix(strings.ToLower(name), "terraform-provider-"+typ+"_")
	rest, hasSuffix := strings.CutSuffix(rest, ".zip")
	fields := strings.Split(rest, "_")
	if !hasPrefix || !hasSuffix || len(fields) < 3 {
		return v, platform, false
	}
	v, err := versions.Parse(fields[0])
	if err != nil {
		return v, platform, false
	}
	platform, err = platforms.Parse(fields[1] + "_" + fields[2])
	return v, platform, err == nil
}

// NewMirrored makes the fact for a zip in a filesystem mirror. path is relative to the mirror's root, with slashes. Errors say what is
// wrong with the path.
func NewMirrored(p addrs.Provider, v versions.Version, platform platforms.Platform, path, sha256 string) (Package, error) {
	k := Key{Kind: KindPackage, Provider: p, Version: v, Platform: platform}
	fact := Package{Mirror: path, SHA256: sha256}
	return fact, fact.check(k)
}

// checkMirror wants <host>/<namespace>/<type>/<name of the zip> that mean the provider, version and platform of the key, so that a
// recorded path leads to nothing but that package: not out of the mirror, and not to another platform's zip.
func checkMirror(path string, k Key) error {
	parts := strings.Split(path, "/")
	if len(parts) != 4 || strings.ContainsRune(path, '\\') || strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf(`"mirror" is %s, not <host>/<namespace>/<type>/<zip> below the root of a filesystem mirror`, foreign.Quote(path, 300))
	}
	p, err := addrs.Parse(strings.Join(parts[:3], "/"), addrs.Terraform)
	if err != nil || p != k.Provider {
		return fmt.Errorf(`"mirror" is %s, which is no path of %s`, foreign.Quote(path, 300), k.Provider)
	}
	v, platform, ok := ParsePacked(parts[3], p.Type)
	if !ok || v != k.Version || platform != k.Platform {
		return fmt.Errorf(`"mirror" is %s, whose name is not that of version %s for %s`, foreign.Quote(path, 300), k.Version, k.Platform)
	}
	return nil
}
