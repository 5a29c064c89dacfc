// Package trustfixtures has one example of each way in which a provider release can be good or bad: keys, SHA256SUMS and signature as a
// registry serves them, and what our verifier and terraform make of them.
//
// The examples are files below fixtures/, made by
//
//	go run ./tests/trustfixtures/regenerate
//
// with fresh keys each time; names and expectations are the same each time. All of them offer one provider, Type at Version, for the platforms
// of Platforms. No private key is kept.
package trustfixtures

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// What every fixture offers, unless its Serve and Filename say otherwise.
const (
	Type    = "widget"
	Version = "1.4.0"
)

// Platforms are the platforms that every fixture's list has, unless the fixture is about their absence.
var Platforms = []string{"darwin_arm64", "linux_amd64", "linux_arm64"}

// Now is the moment at which the expectations hold. terraform uses the real clock; dates are chosen so that both agree until 2100.
var Now = time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)

// Outcomes of a fixture, for Ours and Terraform.
const (
	Accepted     = "accepted"
	Refused      = "refused"
	DoesNotApply = "does not apply"
	Crash        = "crash"
	NotAZip      = "verified, then no zip" // terraform only
)

// Key is an entry of signing_keys.gpg_public_keys.
type Key struct {
	ASCIIArmor     string `json:"ascii_armor"`
	TrustSignature string `json:"trust_signature,omitempty"`
}

// Fixture is one example.
type Fixture struct {
	Name      string  `json:"name"`
	About     string  `json:"about"`              // what is special, one sentence
	Rules     string  `json:"rules"`              // rules and reports it shows
	Keys      []Key   `json:"keys"`               // null: signing_keys is missing from the answer
	Sums      *string `json:"sums"`               // SHA256SUMS; null: answered 404
	Signature []byte  `json:"signature"`          // base64 in the file; null: answered 404
	Filename  string  `json:"filename,omitempty"` // in the answer for linux_amd64, if not the package's own
	Serve     string  `json:"serve,omitempty"`    // the File that is served and whose hash is answered for linux_amd64, if not the package's own
	Ours      string  `json:"ours"`               // outcome with an empty policy and no record
	Kind      string  `json:"kind,omitempty"`     // kind of our refusal: a signatures.Kind, sums.Kind or trust.Reason
	Warns     string  `json:"warns,omitempty"`    // part of a warning that comes with acceptance
	Terraform string  `json:"terraform"`          // outcome of terraform 1.11.4
	Why       string  `json:"why,omitempty"`      // why the two outcomes differ
}

//go:embed fixtures
var files embed.FS

// All returns every fixture, sorted by name. It panics on a damaged tree, which only a wrong commit can make.
func All() []Fixture {
	names, err := fs.Glob(files, "fixtures/*.json")
	if err != nil {
		panic(err)
	}
	var all []Fixture
	for _, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		var fixture Fixture
		if err := json.Unmarshal(content, &fixture); err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		all = append(all, fixture)
	}
	return all
}

// Get returns the named fixture; it panics if there is none.
func Get(name string) Fixture {
	for _, fixture := range All() {
		if fixture.Name == name {
			return fixture
		}
	}
	panic("no trust fixture is called " + name)
}

// Armors returns the key blocks of a fixture.
func (f Fixture) Armors() []string {
	var armors []string
	for _, key := range f.Keys {
		armors = append(armors, key.ASCIIArmor)
	}
	return armors
}

// Answer returns the file name and the SHA-256 that the registry answers for a platform.
func (f Fixture) Answer(platform string) (filename, sha256 string) {
	filename = PackageName(Type, Version, platform)
	served := filename
	if platform == "linux_amd64" {
		if f.Filename != "" {
			filename = f.Filename
		}
		if f.Serve != "" {
			served = f.Serve
		}
	}
	return filename, Hash(File(served))
}

// Served returns the bytes that the registry serves for a platform.
func (f Fixture) Served(platform string) []byte {
	if platform == "linux_amd64" && f.Serve != "" {
		return File(f.Serve)
	}
	return File(PackageName(Type, Version, platform))
}

// PackageName returns the usual file name of a package.
func PackageName(providerType, version, platform string) string {
	return "terraform-provider-" + providerType + "_" + version + "_" + platform + ".zip"
}

// File returns the content of a release file: a small zip with an executable for a name that ends in .zip, JSON otherwise. The bytes depend on
// the name only, on every machine and with every Go release, since nothing is compressed.
func File(name string) []byte {
	if !strings.HasSuffix(name, ".zip") {
		return []byte(`{"version": 1, "metadata": {"protocol_versions": ["5.0"]}, "name": "` + name + "\"}\n")
	}
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	header := &zip.FileHeader{Name: "terraform-provider-" + Type + "_v" + Version, Method: zip.Store}
	header.SetMode(0o755)
	file, err := archive.CreateHeader(header)
	if err == nil {
		_, err = file.Write([]byte("#!/bin/sh\necho " + name + "\n"))
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	return buffer.Bytes()
}

// Hash returns the SHA-256 of content in lower-case hex.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
