package fsmirror

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/versions"
)

// Found is one package in a mirror.
type Found struct {
	Version  versions.Version
	Platform platforms.Platform // zero for a platform that no registry could have; such a package only counts as held
	Path     string             // below the root, with slashes: of the zip, or of the unpacked directory
	Packed   bool
}

// Scan returns the packages of a mirror by provider, in the order in which the tools meet them (R-FS-8). An error means that the root cannot be
// read (R-FS-6); what cannot be read below it is passed over.
func Scan(root fs.FS, tool addrs.Tool) (map[addrs.Provider][]Found, error) {
	hosts, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	s := scanner{root, tool, map[addrs.Provider][]Found{}}
	for _, host := range directories(hosts) {
		namespaces, _ := fs.ReadDir(root, host)
		for _, namespace := range directories(namespaces) {
			types, _ := fs.ReadDir(root, path.Join(host, namespace))
			for _, typ := range directories(types) {
				s.provider(host, namespace, typ)
			}
		}
	}
	return s.found, nil
}

// directories returns the names of true directories: a link above the last level is not followed (R-FS-5).
func directories(entries []fs.DirEntry) []string {
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names
}

type scanner struct {
	root  fs.FS
	tool  addrs.Tool
	found map[addrs.Provider][]Found
}

// provider reads one TYPE directory.
func (s scanner) provider(host, namespace, typ string) {
	// The text would be trimmed as an address's parts are; in names of directories white space counts.
	if strings.ContainsFunc(host+namespace+typ, unicode.IsSpace) {
		return
	}
	p, err := addrs.Parse(fmt.Sprintf("%s/%s/%s", host, namespace, typ), s.tool)
	if err != nil {
		return
	}
	dir := path.Join(host, namespace, typ)
	entries, _ := fs.ReadDir(s.root, dir)
	for _, entry := range entries {
		below := path.Join(dir, entry.Name())
		if entry.IsDir() {
			s.unpacked(p, entry.Name(), below)
			continue
		}
		v, platform, ok := facts.ParsePacked(entry.Name(), p.Type)
		if !ok {
			if v, ok = heldName(entry.Name(), p.Type); !ok {
				continue
			}
		}
		if info, err := fs.Stat(s.root, below); err == nil && !info.IsDir() {
			s.found[p] = append(s.found[p], Found{Version: v, Platform: platform, Path: below, Packed: true})
		}
	}
}

// heldName reads the version of a packed name whose platform is none of ours; the tools count such a package too.
func heldName(name, typ string) (versions.Version, bool) {
	fields := strings.Split(strings.ToLower(name), "_")
	if len(fields) < 4 || fields[0] != "terraform-provider-"+typ || !strings.HasSuffix(fields[len(fields)-1], ".zip") {
		return versions.Version{}, false
	}
	v, err := versions.Parse(fields[1])
	return v, err == nil
}

// unpacked reads one VERSION directory.
func (s scanner) unpacked(p addrs.Provider, name, dir string) {
	v, err := versions.Parse(name)
	if err != nil {
		return
	}
	entries, _ := fs.ReadDir(s.root, dir)
	for _, entry := range entries {
		// Exactly two parts without white space (R-FS-4).
		if strings.Count(entry.Name(), "_") != 1 || strings.ContainsFunc(entry.Name(), unicode.IsSpace) {
			continue
		}
		below := path.Join(dir, entry.Name())
		if info, err := fs.Stat(s.root, below); err != nil || !info.IsDir() {
			continue
		}
		platform, _ := platforms.Parse(entry.Name())
		s.found[p] = append(s.found[p], Found{Version: v, Platform: platform, Path: below})
	}
}
