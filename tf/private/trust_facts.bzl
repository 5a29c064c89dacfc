"""The shapes of the facts that the lock command records. Pure. Like all facts, these are not taken on trust; see fact_shapes.bzl."""

load(":fact_shapes.bzl", "is_sha256")
load(":signers.bzl", "is_fingerprint")

visibility(["//tf/..."])

# Of a signed version, and of one that nobody signed.
_SIGNED = ["community", "official", "partner"]
_NOT_SIGNED = ["checksum", "unsigned"]

_MALFORMED = 'the fact "{}" in MODULE.bazel.lock is malformed: {}'

def _verified_problem(value):
    if type(value) != "dict" or type(value.get("zh")) != "dict":
        return 'it is not of the form {"zh": {"<platform>": "<sha256>"}, "other": [], "signer": "<fingerprint>", "tier": "<tier>"}'
    if not value["zh"]:
        return "it has no hash"
    other = value.get("other", [])
    if type(other) != "list":
        return "other is no list"
    for platform, hash in sorted(value["zh"].items()):
        if not is_sha256(hash):
            return "the hash of {} is not 64 lower-case hexadecimal digits".format(platform)
    if not all([is_sha256(hash) for hash in other]):
        return "other holds something else than 64 lower-case hexadecimal digits"
    tier, signer = value.get("tier"), value.get("signer", "")
    if tier in _SIGNED:
        return None if is_fingerprint(signer) else "signer is no full fingerprint in upper-case hex"
    if tier not in _NOT_SIGNED:
        return "tier is none of {}".format(", ".join(sorted(_SIGNED + _NOT_SIGNED)))
    return 'it has a signer, which tier "{}" rules out'.format(tier) if signer else None

def read_verified(key, value):
    """Reads a `verified/` fact.

    Args:
        key: its key, for errors.
        value: the recorded value, of any type.

    Returns:
        A pair of the fact and an error, one of which is None. The fact is a struct of `zh` (sha256 by platform), `signer` (empty if
        nobody signed) and `tier`.
    """
    problem = _verified_problem(value)
    if problem:
        return None, _MALFORMED.format(key, problem)
    return struct(zh = value["zh"], signer = value.get("signer", ""), tier = value["tier"]), None

def read_signer(key, value):
    """Reads a `signer/` fact.

    Args:
        key: its key, for errors.
        value: the recorded value, of any type; None if there is no such fact.

    Returns:
        A pair of the fingerprints (None without a fact; an empty list of a provider that was unsigned when it was recorded) and an
        error, which is None if the fact is well-formed.
    """
    if value == None:
        return None, None
    if type(value) != "dict" or type(value.get("fingerprints")) != "list" or value.get("tier") not in _SIGNED + _NOT_SIGNED:
        return None, _MALFORMED.format(key, 'it is not of the form {"fingerprints": ["<fingerprint>"], "tier": "<tier>"}')
    if not all([is_fingerprint(fingerprint) for fingerprint in value["fingerprints"]]):
        return None, _MALFORMED.format(key, "fingerprints holds something else than full fingerprints in upper-case hex")
    return value["fingerprints"], None
