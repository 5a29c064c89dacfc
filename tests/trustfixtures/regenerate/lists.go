package main

import (
	"bytes"
	"crypto"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"rules_tf_mirror/tests/trustfixtures"
)

const (
	rsaKey   = packet.PubKeyAlgoRSA
	ecdsaKey = packet.PubKeyAlgoECDSA
	sha512   = crypto.SHA512

	textMode                = packet.SigTypeText
	certification           = packet.SigTypeGenericCert
	certificationRevocation = packet.SigTypeCertificationRevocation

	compromised = packet.KeyCompromised
	superseded  = packet.KeySuperseded
)

var criticalNotation = &packet.Notation{Name: "condition@example.com", Value: []byte("unknown"), IsCritical: true, IsHumanReadable: true}

func noFlags(sig *packet.Signature) {
	sig.FlagsValid, sig.FlagSign, sig.FlagCertify = false, false, false
}

func certifyFlagOnly(sig *packet.Signature) { sig.FlagSign = false }

func lifetime(end time.Time) func(*packet.Signature) {
	seconds := until(made, end)
	return func(sig *packet.Signature) { sig.KeyLifetimeSecs = &seconds }
}

// bareBlock is a key whose user id has no signature.
func bareBlock(entity *openpgp.Entity) string {
	var buffer bytes.Buffer
	check(entity.PrimaryKey.Serialize(&buffer))
	for _, identity := range entity.Identities {
		check(identity.UserId.Serialize(&buffer))
	}
	return armored(openpgp.PublicKeyType, buffer.Bytes())
}

func secretBlock(entity *openpgp.Entity) string {
	var buffer bytes.Buffer
	check(entity.SerializePrivateWithoutSigning(&buffer, nil))
	return armored(openpgp.PrivateKeyType, buffer.Bytes())
}

// join puts the keys of several blocks into one.
func join(blocks ...string) string {
	var body bytes.Buffer
	for _, text := range blocks {
		must(body.ReadFrom(must(armor.Decode(strings.NewReader(text))).Body))
	}
	return armored(openpgp.PublicKeyType, body.Bytes())
}

// tamper changes the first digit of a list.
func tamper(sums string) string {
	digit := "0"
	if strings.HasPrefix(sums, digit) {
		digit = "1"
	}
	return digit + sums[1:]
}

func listCases() []release {
	linux := trustfixtures.PackageName(trustfixtures.Type, trustfixtures.Version, "linux_amd64")
	line := lineOf(usual, linux)
	hash := line[:64]
	arm := trustfixtures.PackageName(trustfixtures.Type, trustfixtures.Version, "linux_arm64")
	older := trustfixtures.PackageName(trustfixtures.Type, "1.3.0", "linux_amd64")
	gadget := trustfixtures.PackageName("gadget", "1.4.0", "linux_amd64")
	manifest := manifestName(trustfixtures.Type, trustfixtures.Version)
	without := strings.Replace(usual, line, "", 1)
	answer := func(file string) func(*release) { return func(r *release) { r.filename, r.serve = file, file } }
	crashes := "the tools crash at an empty line"
	return []release{
		signedList("crlf", "R-AUTH-5", "lines end in CR LF", strings.ReplaceAll(usual, "\n", "\r\n")),
		signedList("blank-line", "C22, R-AUTH-27", "a blank line in the middle", strings.Replace(usual, "\n", "\n\n", 1)).laxer(trustfixtures.Crash, crashes),
		signedList("blank-line-at-end", "C22, R-AUTH-27", "one newline too many at the end", usual+"\n").laxer(trustfixtures.Crash, crashes),
		signedList("upper-case-hash", "R-AUTH-6", "hashes in upper case", strings.Replace(usual, hash, strings.ToUpper(hash), 1)),
		signedList("odd-line", "R-AUTH-7", "one line that is no hash and name", "Release 1.4.0 of widget\n"+usual).warning("line 1"),
		signedList("star-names", "R-AUTH-5", "names in sha256sum's binary form", strings.ReplaceAll(usual, "  ", " *")).refused("odd_name"),
		signedList("dot-slash-names", "R-AUTH-5", "names begin with ./", strings.ReplaceAll(usual, "  ", "  ./")).refused("odd_name"),
		signedList("short-hash", "R-AUTH-6", "the package's hash has 62 digits", strings.Replace(usual, hash, hash[2:], 1)).refused("bad_hash"),
		signedList("long-hash", "R-AUTH-6", "the package's hash has 66 digits", strings.Replace(usual, hash, hash+"00", 1)).
			refused("bad_hash").but(func(r *release) {
			r.terraform = trustfixtures.Crash
			r.why = "the tools crash at a hash of more than 64 digits"
		}),
		signedList("same-line-twice", "R-AUTH-5", "the package's line stands twice", usual+line),
		signedList("two-hashes", "R-AUTH-5", "two lines give the package different hashes", usual+tamper(line)).
			stricter("conflict", "the tools take the first line"),
		signedList("package-missing", "R-AUTH-5", "no line for the package's file name", without).refused("not_listed"),
		signedList("other-platforms-zip", "C25", "linux_arm64's genuine package is answered for linux_amd64", usual).but(answer(arm)).
			stricter("other_platform", "the name looked up is ours, from the address and the platform, not the answer's"),
		signedList("manifest-as-package", "C23", "the signed manifest is answered as the package", usual).but(answer(manifest)).
			stricter("not_a_package", "the hash must be of the package's own line; terraform verifies any listed file and then cannot unpack this one").
			but(func(r *release) { r.terraform = trustfixtures.NotAZip }),
		signedList("older-release", "", "rollback: the signed list and package of 1.3.0 are answered for 1.4.0", list(trustfixtures.Type, "1.3.0")).but(answer(older)).
			stricter("other_release", "a list without any line of the wanted version is of another release"),
		signedList("other-provider", "", "replay: the signed list and package of another provider by the same key", list("gadget", "1.4.0")).but(answer(gadget)).
			stricter("other_release", "a list without any line of the wanted provider is of another release"),
		signedList("other-shasum", "R-AUTH-1", "the answer's package is not the listed one", usual).but(func(r *release) { r.serve = older }).refused("checksum"),
		signedList("sums-404", "B27", "SHA256SUMS is answered 404", usual).refused("sums_missing").but(func(r *release) { r.noSums = true }),
		signedList("empty-sums", "", "SHA256SUMS is empty, and signed so", "").refused("other_release"),
	}
}

// lineOf returns the line of a name, with its newline.
func lineOf(sums, name string) string {
	for _, line := range strings.SplitAfter(sums, "\n") {
		if strings.HasSuffix(line, "  "+name+"\n") {
			return line
		}
	}
	panic("no line for " + name)
}
