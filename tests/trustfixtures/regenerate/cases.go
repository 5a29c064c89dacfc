package main

import (
	"crypto"
	"slices"

	"github.com/ProtonMail/go-crypto/openpgp"

	"rules_tf_mirror/tests/trustfixtures"
)

// release is a fixture in the making.
type release struct {
	name, about, rules string
	blocks             []string // armored keys
	trust              string   // trust signature of the first key
	sums               string   // usual: the list of Type at Version
	signature          []byte
	noKeys, noSums     bool // signing_keys missing, SHA256SUMS answered 404
	filename, serve    string
	kind               string // ours: refused with this kind; empty: accepted
	ours               string // only if not accepted or refused
	warns              string
	terraform          string // empty: as ours
	why                string
}

func (r release) fixture() trustfixtures.Fixture {
	f := trustfixtures.Fixture{Name: r.name, About: r.about, Rules: r.rules, Keys: []trustfixtures.Key{}, Sums: &r.sums, Signature: r.signature,
		Filename: r.filename, Serve: r.serve, Ours: r.ours, Kind: r.kind, Warns: r.warns, Terraform: r.terraform, Why: r.why}
	for _, armor := range r.blocks {
		f.Keys = append(f.Keys, trustfixtures.Key{ASCIIArmor: armor})
	}
	if r.trust != "" {
		f.Keys[0].TrustSignature = r.trust
	}
	if r.noKeys {
		f.Keys = nil
	}
	if r.noSums {
		f.Sums = nil
	}
	if f.Ours == "" {
		f.Ours = trustfixtures.Accepted
		if r.kind != "" {
			f.Ours = trustfixtures.Refused
		}
	}
	if f.Terraform == "" {
		f.Terraform = f.Ours
	}
	return f
}

func cases() []trustfixtures.Fixture {
	var fixtures []trustfixtures.Fixture
	for _, r := range slices.Concat(goodCases(), keyCases(), dateCases(), signatureCases(), listCases()) {
		fixtures = append(fixtures, r.fixture())
	}
	return fixtures
}

// usual is the signed list of most cases.
var usual = list(trustfixtures.Type, trustfixtures.Version)

// by returns a release whose usual list is signed as described, with the signer's key offered.
func by(name, rules, about string, s signature) release {
	return release{name: name, rules: rules, about: about, sums: usual, signature: s.sign(usual), blocks: []string{block(s.by)}}
}

// signedList returns a release with another list, properly signed.
func signedList(name, rules, about, sums string) release {
	k := key("Lister")
	return release{name: name, rules: rules, about: about, sums: sums, signature: signature{by: k}.sign(sums), blocks: []string{block(k)}}
}

// but returns the release with changes.
func (r release) but(change func(*release)) release {
	change(&r)
	return r
}

func (r release) refused(kind string) release {
	r.kind = kind
	return r
}

// stricter marks a release that terraform accepts.
func (r release) stricter(kind, why string) release {
	r.kind, r.terraform, r.why = kind, trustfixtures.Accepted, why
	return r
}

// laxer marks a release that terraform refuses and we accept.
func (r release) laxer(terraform, why string) release {
	r.terraform, r.why = terraform, why
	return r
}

func (r release) warning(text string) release {
	r.warns = text
	return r
}

// offer replaces the offered blocks.
func (r release) offer(blocks ...string) release {
	r.blocks = blocks
	return r
}

func goodCases() []release {
	subkey := withSubkey(key("Subkey signer"))
	rsa := key("RSA signer", algorithm(rsaKey, 3072))
	first, second := key("Not the signer"), key("Signer")
	return []release{
		by("good", "R-AUTH-9", "an EdDSA key signed the list", signature{by: key("Good")}),
		by("good-rsa", "R-AUTH-18", "an RSA key of 3072 bits", signature{by: rsa}),
		by("good-ecdsa", "R-AUTH-18", "an ECDSA key on P-256", signature{by: key("ECDSA signer", algorithm(ecdsaKey, 0))}),
		by("good-sha512", "R-AUTH-17", "a SHA-512 digest", signature{by: key("SHA-512 signer"), digest: sha512}),
		by("good-subkey", "R-AUTH-4, R-AUTH-13", "a subkey signed; the primary key is the identity", signature{by: subkey, subkey: true}),
		by("several-keys-one-block", "R-AUTH-11", "one armor block holds two keys, the second signed", signature{by: second}).offer(block(first, second)),
		by("several-entries", "R-AUTH-8", "two key entries, the second signed", signature{by: second}).offer(block(first), block(second)),
		by("text-mode", "R-AUTH-10", "a text-mode signature", signature{by: key("Text signer"), kind: textMode}),
	}
}

func keyCases() []release {
	good, other := key("Good"), key("Other")
	signed := func(name, rules, about string) release { return by(name, rules, about, signature{by: good}) }
	truncated := block(other)[:200]
	flagless := recertify(key("No flags"), made, noFlags)
	certifyOnly := recertify(key("Certifies only"), made, certifyFlagOnly)
	uncross := withSubkey(key("No cross-signature"))
	uncross.Subkeys[0].Sig.EmbeddedSignature = nil
	check(uncross.Subkeys[0].Sig.SignKey(uncross.Subkeys[0].PublicKey, uncross.PrivateKey, at(made)))
	selfless := key("No self-signature")
	return []release{
		by("unknown-issuer", "D11", "the registry offers another key than the one that signed", signature{by: good}).offer(block(other)).refused("unknown_issuer"),
		signed("keys-empty", "B14, R-AUTH-8, R-AUTH-23", "gpg_public_keys is an empty list").offer().refused("no_keys"),
		signed("keys-missing", "B14, R-AUTH-8, R-AUTH-23", "signing_keys is missing").offer().refused("no_keys").but(func(r *release) { r.noKeys = true }),
		signed("unreadable-key-first", "D20, R-AUTH-8", "a truncated key entry stands before the good one").offer(truncated, block(good)).
			warning("key entry 1").laxer(trustfixtures.Refused, "a bad entry is passed over and reported; the good key decides"),
		signed("unreadable-key-last", "D20", "a truncated key entry stands after the good one").offer(block(good), truncated).warning("key entry 2"),
		signed("unreadable-key-only", "D20", "the only key entry is truncated").offer(truncated).refused("unreadable_key"),
		signed("key-is-html", "D20", "the only key entry is a web page").offer("<!DOCTYPE html><title>Sign in</title>").refused("unreadable_key"),
		signed("several-blocks-first", "R-AUTH-11", "two armor blocks in one entry, the first signed").offer(block(good) + block(other)).warning("more than one armor block"),
		signed("several-blocks-second", "R-AUTH-11", "two armor blocks in one entry, the second signed").offer(block(other) + block(good)).refused("later_block"),
		by("secret-key", "", "the registry publishes the signer's private key", signature{by: good}).offer(secretBlock(good)).
			stricter("secret_key", "everybody who reads the answer could have signed"),
		by("no-key-flags", "R-AUTH-13", "the key has no key flags", signature{by: flagless}).refused("not_for_signing"),
		by("no-sign-flag", "R-AUTH-13", "the key is marked for certification only", signature{by: certifyOnly}).refused("not_for_signing"),
		by("no-cross-signature", "R-AUTH-13", "a signing subkey that does not certify its primary key", signature{by: uncross, subkey: true}).refused("no_cross_signature"),
		by("no-self-signature", "R-AUTH-13", "the user id carries no self-signature", signature{by: selfless}).offer(bareBlock(selfless)).refused("no_self_signature"),
		by("rsa-1024", "R-AUTH-18", "an RSA key of 1024 bits", signature{by: shortRSA("Short", 1024)}).warning("1024 bits"),
		by("rsa-768", "R-AUTH-18", "an RSA key of 768 bits", signature{by: shortRSA("Shorter", 768)}).
			stricter("weak_key", "such a key can be factored; a terraform built with Go 1.24 or later refuses it too"),
		revokedKey(), revokedSubkey(), revokedOtherSubkey(), revokedInOneCopy(), revokedUserID(),
	}
}

func revokedKey() release {
	k := key("Revoked")
	check(k.RevokeKey(compromised, "laptop stolen", at(later)))
	return by("revoked-key", "R-AUTH-16", "the primary key is revoked", signature{by: k}).refused("revoked_key")
}

func revokedSubkey() release {
	k := withSubkey(key("Revoked subkey"))
	check(k.RevokeSubkey(&k.Subkeys[0], superseded, "", at(later)))
	return by("revoked-subkey", "R-AUTH-16", "the signing subkey is revoked, the primary key is not", signature{by: k, subkey: true}).refused("revoked_subkey")
}

func revokedOtherSubkey() release {
	k := withSubkey(withSubkey(key("Replaced subkey")))
	check(k.RevokeSubkey(&k.Subkeys[1], superseded, "", at(later)))
	return by("revoked-other-subkey", "R-AUTH-16", "a subkey that did not sign is revoked", signature{by: k, subkey: true})
}

func revokedInOneCopy() release {
	k := key("Revoked in one copy")
	clean := block(k)
	check(k.RevokeKey(compromised, "laptop stolen", at(later)))
	return by("revoked-in-one-copy", "D03, R-AUTH-16", "two copies of the key, the second with a revocation", signature{by: k}).
		offer(clean, block(k)).stricter("revoked_key", "a revocation counts wherever it is found; terraform stops at the first copy that verifies")
}

func revokedUserID() release {
	k := key("Revoked user id")
	for _, identity := range k.Identities {
		revocation := *identity.SelfSignature
		revocation.SigType, revocation.CreationTime = certificationRevocation, later
		check(revocation.SignUserId(identity.Name, k.PrimaryKey, k.PrivateKey, at(later)))
		identity.Signatures = append(identity.Signatures, &revocation)
	}
	return by("revoked-user-id", "R-AUTH-16", "the only user id is revoked", signature{by: k}).refused("revoked_key")
}

func prolonged() (old, renewed string, k *openpgp.Entity) {
	k = key("Prolonged", expires(expiry))
	old = block(k)
	recertify(k, expiry.AddDate(0, -1, 0), lifetime(future))
	return old, block(k), k
}

func dateCases() []release {
	expired := key("Expired", expires(expiry))
	expiredSub := withSubkey(key("Expired subkey"), expires(expiry))
	old, renewed, prolongedKey := prolonged()
	good := key("Good")
	return []release{
		by("expired-key-signed-before", "D01, R-AUTH-14", "the key has expired, the signature was made before", signature{by: expired}).warning("made before"),
		by("expired-key-signed-after", "D04, R-AUTH-14", "the key had expired when the signature was made", signature{by: expired, at: later}).warning("made after"),
		by("expired-subkey", "R-AUTH-14", "the signing subkey has expired, the primary key has not", signature{by: expiredSub, subkey: true}).warning("made before"),
		by("expired-key-beside-good", "D20", "an expired key stands before the good one", signature{by: good}).offer(block(expired), block(good)),
		by("prolonged-old-copy-first", "D03", "an expired copy of the key stands before the prolonged one", signature{by: prolongedKey, at: later}).offer(old, renewed),
		by("prolonged-new-copy-first", "D03", "the prolonged copy of the key stands before the expired one", signature{by: prolongedKey, at: later}).offer(renewed, old),
		by("prolonged-one-block", "D03", "both copies stand in one block", signature{by: prolongedKey, at: later}).offer(join(old, renewed)),
		by("expired-signature", "R-AUTH-15", "the signature itself has expired", signature{by: good, lifetime: 86400}).refused("expired_signature"),
		by("expired-key-and-signature", "R-AUTH-15", "key and signature have expired", signature{by: expired, lifetime: 86400}).
			stricter("expired_signature", "terraform tests the key's expiry first and then looks no further"),
		by("future-signature", "R-AUTH-15", "the signature is dated 2100", signature{by: good, at: future}).refused("future_signature"),
		by("future-key", "", "key and signature are dated 2100", signature{by: key("From the future", madeAt(future)), at: future}).
			stricter("future_key", "terraform takes a key that is not yet valid for an expired one, which it accepts"),
		by("older-than-key", "", "the signature is dated before its key", signature{by: good, at: made.AddDate(-1, 0, 0)}).
			stricter("older_than_key", "an impossible date; gpg refuses it too"),
	}
}

func signatureCases() []release {
	good, other := key("Good"), key("Other")
	rsa := key("RSA signer", algorithm(rsaKey, 2048))
	usualBy := func(name, rules, about string) release { return by(name, rules, about, signature{by: good}) }
	goodSig, otherSig := signature{by: good}.sign(usual), signature{by: other}.sign(usual)
	with := func(content []byte) func(*release) { return func(r *release) { r.signature = content } }
	flipped := slices.Clone(goodSig)
	flipped[len(flipped)-1] ^= 1
	return []release{
		usualBy("tampered-sums", "", "one digit of the list was changed after signing").refused("tampered").but(func(r *release) { r.sums = tamper(usual) }),
		usualBy("tampered-signature", "", "one bit of the signature was changed").refused("tampered").but(with(flipped)),
		usualBy("armored-signature", "D15, R-AUTH-9", "the signature is ASCII-armored").refused("armored_signature").
			but(with([]byte(armored(openpgp.SignatureType, goodSig)))),
		usualBy("empty-signature", "R-AUTH-9", "the signature file is empty").refused("empty_signature").but(with([]byte{})),
		usualBy("signature-404", "C27", "the signature is answered 404").refused("signature_missing").but(with(nil)),
		usualBy("html-signature", "", "the signature file is a web page").refused("malformed_signature").but(with([]byte("<!DOCTYPE html><title>Sign in</title>"))),
		usualBy("signature-is-key", "", "the signature file is a public key").refused("malformed_signature").but(with(public(good))),
		usualBy("several-signatures", "R-AUTH-10", "a signature by an unknown key stands before the good one").but(with(slices.Concat(otherSig, goodSig))),
		usualBy("bad-signature-first", "R-AUTH-10", "a damaged signature by the signer stands before a good one").but(with(slices.Concat(flipped, goodSig))).
			laxer(trustfixtures.Refused, "one good signature by an allowed signer is enough; the tools let the first known issuer decide"),
		usualBy("md5", "R-AUTH-17", "an MD5 digest").offer(block(rsa)).refused("weak_digest").but(with(signWeak(rsa, crypto.MD5, 1, usual))),
		usualBy("sha1", "R-AUTH-17", "a SHA-1 digest").offer(block(rsa)).but(with(signWeak(rsa, crypto.SHA1, 2, usual))).
			stricter("weak_digest", "SHA-1 collisions are practical; allow_sha1 names the sources to accept"),
		by("wrong-type", "", "a signature of the type that certifies a user id", signature{by: good, kind: certification}).refused("unsupported_signature"),
		by("critical-notation", "R-AUTH-16", "a critical notation that nobody knows", signature{by: good, notation: criticalNotation}).refused("unsupported_signature"),
		usualBy("trust-signature-garbage", "R-AUTH-20", "the key's trust signature is no signature").refused("trust_signature").but(func(r *release) { r.trust = "garbage" }),
		usualBy("trust-signature-by-other", "R-AUTH-20", "the key's trust signature is not by the partner key").refused("trust_signature").but(func(r *release) {
			r.trust = armored(openpgp.SignatureType, signature{by: other}.sign(string(public(good))))
		}),
	}
}
