"""What the root module says about trust: the attributes of its tags, checked and in normal form. Pure."""

load(":exact_version.bzl", "exact_version")
load(":signers.bzl", "normal_fingerprint", "why_retired")
load(":sources.bzl", "read_namespace", "read_source", "split_entry")

visibility(["//tf/..."])

# Lists of sources.
_SOURCES = ["allow_checksum", "allow_sha1", "allow_unsigned"]

POLICY_ATTRIBUTES = _SOURCES + ["allow_changed", "expired_keys", "provider_locks", "provider_locks_strict", "signers"]

_EXPIRED_KEYS = ["accept", "signed-before", "refuse"]

_NO_MATCH = ("{}: no mirror entry has this source, so this does nothing. Remove it, or correct it: it must be one of {}")

def _context(attribute, text):
    return 'tf.download({} = …): "{}"'.format(attribute, text)

def _check_match(context, source, entries):
    sources = sorted({entry.source: None for entry in entries})
    if source in sources:
        return None
    return _NO_MATCH.format(context, ", ".join(sources) or "none, as there is no entry") + "."

def _read_sources(attribute, texts, entries, default_host):
    """A list of sources in full."""
    found = []
    for text in texts:
        address, problem = read_source(_context(attribute, text), text, default_host, example = "hashicorp/random")
        problem = problem or _check_match(_context(attribute, text), address.source, entries)
        if problem:
            return None, problem
        found.append(address.source)
    return sorted({source: None for source in found}), None

def _read_changed(texts, entries, default_host):
    """Releases as `source:version`, in full."""
    found = []
    for text in texts:
        context = _context("allow_changed", text)
        written, version = split_entry(text)
        canonical = exact_version(version) if version else None
        if not canonical or version != canonical:
            return None, '{}: this is no source with one exact version. Write it like "hashicorp/random:{}".'.format(
                context,
                canonical or "3.1.3",
            )
        address, problem = read_source(context, written, default_host, example = "hashicorp/random:3.1.3", suffix = ":" + version)
        problem = problem or _check_match(context, address.source, entries)
        if problem:
            return None, problem
        found.append("{}:{}".format(address.source, canonical))
    return sorted({release: None for release in found}), None

def _read_fingerprints(context, texts):
    found = []
    for text in texts:
        fingerprint = normal_fingerprint(text)
        if not fingerprint:
            return None, ('{}: "{}" is no full fingerprint, which has 40 hexadecimal digits, or 64. ' +
                          "`gpg --show-keys FILE` prints it.").format(context, text)
        if why_retired(fingerprint):
            return None, "{}: {} is {}. No setting allows it.".format(context, fingerprint, why_retired(fingerprint))
        found.append(fingerprint)
    if not found:
        return None, "{}: there is no fingerprint. For a provider without signature there is allow_unsigned.".format(context)
    return sorted({fingerprint: None for fingerprint in found}), None

def _read_signers(signers, entries, default_host):
    """Fingerprints by source or namespace, in full."""
    found = {}
    for text, texts in signers.items():
        context = _context("signers", text)
        scope, problem = read_namespace(context, text)
        if not scope and not problem:
            address, problem = read_source(context, text, default_host, example = "acme/widget")

            # A namespace may be ahead of its providers: whoever comes later is to be signed by these.
            problem = problem or _check_match(context, address.source, entries)
            scope = address.source if address else None
        if problem:
            return None, problem
        if scope in found:
            return None, "{}: another key of it names the same source. Keep one of them.".format(context)
        found[scope], problem = _read_fingerprints(context, texts)
        if problem:
            return None, problem
    return found, None

def read_policy(settings, entries, default_host):
    """Checks what the root module says about trust.

    Args:
        settings: a dict of the values of `POLICY_ATTRIBUTES`, None for those that are not set.
        entries: all entries, as `parse_entry` returns them. What names a source that none of them has is an error.
        default_host: the host of a source without one.

    Returns:
        A pair of the policy and an error, one of which is None. The policy is a struct of `signers` (fingerprints by source or
        `host/namespace`), `allow_unsigned`, `allow_sha1`, `allow_checksum` (sources), `allow_changed` (`source:version`),
        `expired_keys` (empty if not set), `strict` and `provider_locks` (labels).
    """
    policy = {
        "expired_keys": settings["expired_keys"] or "",
        "provider_locks": settings["provider_locks"] or [],
        "strict": bool(settings["provider_locks_strict"]),
    }
    if policy["expired_keys"] and policy["expired_keys"] not in _EXPIRED_KEYS:
        return None, 'tf.download(expired_keys = "{}"): it must be one of {}.'.format(
            policy["expired_keys"],
            ", ".join(['"{}"'.format(value) for value in _EXPIRED_KEYS]),
        )
    for attribute in _SOURCES:
        policy[attribute], problem = _read_sources(attribute, settings[attribute] or [], entries, default_host)
        if problem:
            return None, problem
    policy["allow_changed"], problem = _read_changed(settings["allow_changed"] or [], entries, default_host)
    if problem:
        return None, problem
    policy["signers"], problem = _read_signers(settings["signers"] or {}, entries, default_host)
    if problem:
        return None, problem
    return struct(**policy), None

def policy_json(policy):
    """The policy as the manifest has it.

    Args:
        policy: as `read_policy` returns it.

    Returns:
        A dict without what is not set.
    """
    members = {name: getattr(policy, name) for name in _SOURCES + ["allow_changed", "expired_keys", "signers", "strict"]}
    return {name: value for name, value in members.items() if value}

def stale_permissions(policy, answers):
    """Warnings about permissions for releases that are not chosen.

    Which versions are chosen changes without an edit of MODULE.bazel, so this cannot be an error as it is for sources.

    Args:
        policy: as `read_policy` returns it.
        answers: for each entry, as `read_answers` returns it.

    Returns:
        A list of texts.
    """
    chosen = {"{}:{}".format(answer.entry.source, answer.version): None for answer in answers}
    unknown = {answer.entry.source: None for answer in answers if not answer.version}
    return [
        "{}: no entry chooses this version. Remove it: should the version return, it could again differ from what is recorded.".format(
            _context("allow_changed", release),
        )
        for release in policy.allow_changed
        if release not in chosen and split_entry(release)[0] not in unknown
    ]
