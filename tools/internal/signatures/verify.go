package signatures

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Verify checks every signature packet of a detached signature file against every key of the ring. All good ones are returned, so that one
// unusable packet or key does not hide a good one (D20). Where no signature is good, Result.Err explains the most telling defect.
func (r *Ring) Verify(signed, signature []byte, options Options) Result {
	var result Result
	refuse := func(kind Kind, format string, args ...any) Result {
		result.Defects = append(result.Defects, &Defect{Kind: kind, Entry: -1, Message: fmt.Sprintf(format, args...)})
		result.Defects = append(result.Defects, r.problems...)
		return result
	}
	switch trimmed := bytes.TrimLeft(signature, "\ufeff \t\r\n"); {
	case options.Now.IsZero():
		return refuse(Malformed, "the time of verification is not set")
	case len(signature) > MaxFile:
		return refuse(Malformed, "the signature file has %d bytes; more than %d are not looked at, and a signature has some hundred", len(signature), MaxFile)
	case len(r.bodies) == 0:
		return refuse(NoKeys, "no signing key is offered")
	case len(trimmed) == 0:
		return refuse(EmptySignature, "the signature file is empty")
	case bytes.HasPrefix(trimmed, []byte("-----BEGIN PGP")):
		return refuse(Armored, "the signature file is ASCII-armored; terraform and tofu take the binary form only. "+
			"The publisher makes it with `gpg --detach-sign SHA256SUMS`, without --armor, or converts it with `gpg --dearmor`")
	}
	r.verifyPackets(&result, signed, signature, options)
	if len(result.Good) == 0 && len(result.Defects) == 0 {
		return refuse(Malformed, "the signature file holds no signature")
	}
	sort.SliceStable(result.Defects, func(a, b int) bool { return rank[result.Defects[a].Kind] < rank[result.Defects[b].Kind] })
	result.Defects = append(result.Defects, r.problems...)
	return result
}

// verifyPackets checks packet after packet. What is no signature ends the file, as in go-crypto.
func (r *Ring) verifyPackets(result *Result, signed, signature []byte, options Options) {
	malformed := func(err error, format string, args ...any) {
		result.Defects = append(result.Defects, &Defect{Kind: Malformed, Entry: -1, Err: err, Message: fmt.Sprintf(format, args...)})
	}
	reader := packet.NewOpaqueReader(bytes.NewReader(signature))
	for count := 0; ; {
		next, err := reader.Next()
		switch {
		case err == io.EOF:
			return
		case err != nil:
			malformed(err, "the signature file is no binary OpenPGP signature (it begins with %q): %v", beginning(signature), err)
			return
		case next.Tag == tagMarker || next.Tag == tagPadding:
			continue
		case next.Tag != tagSignature:
			malformed(nil, "the signature file holds an OpenPGP packet of type %d where a signature is wanted", next.Tag)
			return
		case count == MaxPackets:
			malformed(nil, "the signature file holds more than %d signatures; the others were not looked at", MaxPackets)
			return
		case options.ended():
			malformed(options.Context.Err(), "the verification was stopped")
			return
		}
		count++
		good, defects := r.verifyPacket(signed, next, options)
		result.Good = append(result.Good, good...)
		result.Defects = append(result.Defects, defects...)
	}
}

// verifyPacket checks one signature packet.
func (r *Ring) verifyPacket(signed []byte, raw *packet.OpaquePacket, options Options) (good []Signature, defects []*Defect) {
	head, ok := readHeader(raw.Contents)
	defect := func(kind Kind, err error, format string, args ...any) []*Defect {
		return []*Defect{{Kind: kind, Entry: -1, Issuer: head.by(), Err: err, Message: fmt.Sprintf(format, args...)}}
	}
	if !ok {
		return nil, defect(Malformed, nil, "the signature file is too short for a signature (it begins with %q)", beginning(raw.Contents))
	}
	signer := "a key that it does not name"
	if head.by() != "" {
		signer = "key " + head.by()
	}
	switch {
	case head.digest == digestMD5 || head.digest == digestRIPEMD160:
		return nil, defect(WeakDigest, nil, "the signature by %s is over a digest by %s, which no longer proves anything; the tools refuse it too", signer, head.digestName())
	case head.digest == digestSHA1 && !options.AllowSHA1:
		return nil, defect(WeakDigest, nil, "the signature by %s is over a SHA-1 digest, for which two documents with one signature can be made. "+
			"terraform and tofu accept it", signer)
	}
	sig, err := parseSignature(raw)
	if err != nil {
		return nil, defect(Unsupported, err, "the signature by %s (version %d, %s) cannot be read: %v", signer, head.version, head.digestName(), err)
	}
	if sig.SigType != packet.SigTypeBinary && sig.SigType != packet.SigTypeText {
		return nil, defect(Unsupported, nil, "the signature by %s is of type 0x%02X, which does not sign a document", signer, uint8(sig.SigType))
	}
	if sig.IssuerKeyId == nil {
		return nil, defect(UnknownIssuer, nil, "the signature does not say which key made it. %s", r.offered())
	}
	for _, key := range r.keys {
		if !key.ids()[*sig.IssuerKeyId] || options.ended() {
			continue
		}
		if found, refused := key.verify(signed, raw, sig, head, options); refused != nil {
			refused.Issuer = head.by()
			defects = append(defects, refused)
		} else {
			good = append(good, found)
		}
	}
	if len(good) > 0 || len(defects) > 0 {
		return good, defects
	}
	for _, key := range r.unusable {
		if key.ids[*sig.IssuerKeyId] {
			return nil, defect(key.defect.Kind, key.defect.Err, "the signature is by %s, but %s", signer, key.defect.Message)
		}
	}
	if len(r.keys) == 0 && len(r.problems) > 0 {
		return nil, defect(r.problems[0].Kind, r.problems[0].Err, "the signature is by %s, and no offered key can be used. %s", signer, r.offered())
	}
	return nil, defect(UnknownIssuer, nil, "the signature is by %s, which is not among the offered keys. %s", signer, r.offered())
}

// parseSignature has go-crypto parse the packet; a crash there is an error.
func parseSignature(raw *packet.OpaquePacket) (sig *packet.Signature, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			sig, err = nil, fmt.Errorf("the OpenPGP library crashed: %v", crash)
		}
	}()
	parsed, err := raw.Parse()
	if err != nil {
		return nil, err
	}
	sig, ok := parsed.(*packet.Signature)
	if !ok {
		return nil, errors.New("not a signature packet")
	}
	return sig, nil
}

// check has go-crypto verify the packet with one key; a crash there is an error.
func (k *ringKey) check(signed []byte, raw *packet.OpaquePacket, options Options) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = pgperrors.StructuralError(fmt.Sprintf("the OpenPGP library crashed: %v", crash))
		}
	}()
	var serialized bytes.Buffer
	if err := raw.Serialize(&serialized); err != nil {
		return err
	}
	_, _, err = openpgp.VerifyDetachedSignature(openpgp.EntityList{k.entity}, bytes.NewReader(signed), &serialized, options.config())
	return err
}

func (o Options) config() *packet.Config {
	now := o.Now
	return &packet.Config{Time: func() time.Time { return now }}
}

// offered lists the keys that were offered, for messages about an unknown issuer (D11).
func (r *Ring) offered() string {
	var parts []string
	for _, key := range r.Keys() {
		parts = append(parts, key.String())
	}
	for _, problem := range r.problems {
		parts = append(parts, problem.Message)
	}
	if len(parts) == 0 {
		return "No usable key is offered"
	}
	const most = 8
	if extra := len(parts) - most; extra > 0 {
		parts = append(parts[:most], fmt.Sprintf("%d more", extra))
	}
	return "Offered: " + strings.Join(parts, "; ")
}
