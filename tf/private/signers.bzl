"""Who may sign a provider's releases: the rules of the lock command, restated for what is recorded. Pure.

The helper decides about signatures; here facts are held against these rules, since a lockfile can be edited by anybody who can send a
change. Keys are named by full fingerprints of primary keys, in upper-case hex.
"""

visibility(["//tf/..."])

# R-AUTH-28. The same are in tools/internal/trust/anchors.go; tests on both sides pin them.
_HASHICORP = "C874011F0AB405110D02105534365D9472D7468F"
_OPENTOFU = "E3E6E43D84CB852EADB0051D0C0AF313E5FD9F80"

_BUILT_IN = {
    "registry.opentofu.org/hashicorp": [_OPENTOFU],
    "registry.opentofu.org/opentofu": [_OPENTOFU],
    "registry.terraform.io/hashicorp": [_HASHICORP],
}

_RETIRED = {
    "91A6E7F85D05C65630BEF18951852D87348FFC4C": "HashiCorp's old key, which was exposed in April 2021 and revoked",
}

_HEX = "0123456789ABCDEF"

def is_fingerprint(text):
    """Whether a value is a full fingerprint in upper-case hex: 40 digits, or 64 of a version 6 key."""
    return type(text) == "string" and len(text) in (40, 64) and all([c in _HEX for c in text.elems()])

def normal_fingerprint(text):
    """A fingerprint in upper-case hex.

    Args:
        text: as people write it, with spaces and `0x`.

    Returns:
        The fingerprint; None if it is none. A key id is none: another key can be made to have the same.
    """
    plain = text.strip().replace(" ", "").removeprefix("0x").upper()
    return plain if is_fingerprint(plain) else None

def why_retired(fingerprint):
    """Why no setting allows a key; None if it is not such a key."""
    return _RETIRED.get(fingerprint)

def built_in_signers(source):
    """The signers of a namespace that are known without asking anybody; empty for every other namespace."""
    return _BUILT_IN.get(source.rpartition("/")[0], [])

def allowed_signers(source, named, recorded):
    """The keys that may sign a provider's releases.

    Args:
        source: `host/namespace/type`.
        named: the `signers` of the tag, as `read_policy` returns them.
        recorded: the fingerprints of the `signer/` fact, None without one.

    Returns:
        A list of fingerprints; None if nobody is known yet, so that no signer can be right.
    """
    by_tag = named.get(source) or named.get(source.rpartition("/")[0]) or []
    built_in = built_in_signers(source)
    if built_in:
        return built_in + by_tag
    return by_tag or recorded or None
