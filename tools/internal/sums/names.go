package sums

import "strings"

const (
	namePrefix = "terraform-provider-"
	nameSuffix = ".zip"
)

// Filename returns the usual name of a package: terraform-provider-<type>_<version>_<platform>.zip.
func Filename(providerType, version, platform string) string {
	return namePrefix + providerType + "_" + version + "_" + platform + nameSuffix
}

// Platform returns the platform of a package's file name if the name is one of this provider type and version, with or without "v" before
// the version. Only ASCII lower-case letters and digits occur in an operating system or architecture; everything else is another file.
func Platform(name, providerType, version string) (platform string, ok bool) {
	rest, ok := strings.CutPrefix(name, namePrefix+providerType+"_")
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, nameSuffix)
	if !ok {
		return "", false
	}
	found, ok := strings.CutPrefix(rest, version+"_")
	if !ok {
		found, ok = strings.CutPrefix(rest, "v"+version+"_")
	}
	if !ok {
		return "", false
	}
	system, arch, ok := strings.Cut(found, "_")
	if !ok || !isWord(system) || !isWord(arch) {
		return "", false
	}
	return found, true
}

func isWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9') {
			return false
		}
	}
	return text != ""
}

// oddName recognises a package of this version behind the marks that sha256sum and other programs put before a name.
func oddName(name, providerType, version string) (plain string, odd bool) {
	for _, mark := range []string{"*", "./", `.\`, "*./"} {
		if plain, marked := strings.CutPrefix(name, mark); marked {
			if _, ok := Platform(plain, providerType, version); ok {
				return plain, true
			}
		}
	}
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		if _, ok := Platform(name[i+1:], providerType, version); ok {
			return name[i+1:], true
		}
	}
	return "", false
}

// release splits a package name into provider type and version, as far as that is possible without knowing either.
func release(name string) (providerType, version string, ok bool) {
	rest, ok := strings.CutPrefix(name, namePrefix)
	if !ok {
		return "", "", false
	}
	rest, ok = strings.CutSuffix(rest, nameSuffix)
	parts := strings.Split(rest, "_")
	if !ok || len(parts) < 4 {
		return "", "", false
	}
	return strings.Join(parts[:len(parts)-3], "_"), strings.TrimPrefix(parts[len(parts)-3], "v"), true
}
