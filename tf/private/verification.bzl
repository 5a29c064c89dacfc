"""Which packages may be fetched: the recorded hashes, held against what the publisher signed. Pure.

A refusal is that of one package's repository: it fails before a byte is fetched, and what does not use it builds. The lock target depends
on no package, so it runs whatever is refused here.
"""

load(":dependency_locks.bzl", "covering_entries", "places_without", "uncovered_hint")
load(":fact_keys.bzl", "find_fact", "package_key", "signer_key", "verified_key")
load(":signers.bzl", "allowed_signers", "built_in_signers", "why_retired")
load(":trust_facts.bzl", "read_signer", "read_verified")

visibility(["//tf/..."])

_REFUSED = "provider {} {} for {} is refused: {}."

LOCK_COMMAND = "bazel run //:providers_lock"

_RELOCK = "To verify again, run `{}` (a tf_providers_lock target), and look at who changed MODULE.bazel.lock".format(LOCK_COMMAND)
_LOCK = "Run `{}` (a tf_providers_lock target) and commit MODULE.bazel.lock".format(LOCK_COMMAND)
_READ_ERROR = ("Correct the file, or take it out of provider_locks. It matters only for versions that are not verified: " +
               "`{}` (a tf_providers_lock target) verifies them").format(LOCK_COMMAND)

def _problem(what, repair, found = ""):
    """Why a package must not be fetched. `found` is what differs from platform to platform."""
    return struct(what = what, found = found, repair = repair)

def _text(problem, with_found):
    return "{}{}. {}".format(problem.what, ": " + problem.found if with_found and problem.found else "", problem.repair)

def _for_all(subject, problem):
    return {platform: problem for platform in subject.packages}

def _signer_problem(source, verified, policy, recorded):
    """What speaks against the signer of a verified fact; None if nothing does."""
    built_in = built_in_signers(source)
    if verified.tier == "unsigned":
        if built_in:
            return "the verified fact says unsigned, but all providers of this namespace are signed; no setting allows it otherwise"
        if source not in policy.allow_unsigned:
            return 'the verified fact says unsigned, which needs allow_unsigned = ["{}"] in tf.download'.format(source)
        return None
    if verified.tier == "checksum":
        return "the verified fact says checksum, but all providers of this namespace are signed" if built_in else None
    if why_retired(verified.signer):
        return "the verified fact has signer {}: {}. No setting allows it".format(verified.signer, why_retired(verified.signer))
    if (verified.tier == "official") != (verified.signer in built_in):
        return "the verified fact says tier {} for signer {}".format(verified.tier, verified.signer)
    fingerprints, problem = read_signer(signer_key(source), find_fact([recorded], signer_key(source)))
    allowed = allowed_signers(source, policy.signers, fingerprints)

    # Where the tag or this module names the signers, the recorded ones do not count, well-formed or not.
    if not allowed:
        return problem or 'the verified fact has signer {}, but there is no fact "{}" that names it'.format(verified.signer, signer_key(source))
    if verified.signer not in allowed:
        return "the verified fact has signer {}; allowed are {}".format(verified.signer, ", ".join(allowed))
    return None

def _hash_problem(zh, platform, found):
    """Why a package is not the one that was signed for its platform; None if it is (C25)."""
    wanted = zh.get(platform)
    if found == wanted:
        return None
    others = [other for other, hash in sorted(zh.items()) if hash == found]
    if others:
        what = "the hash in the package fact is that of another platform's package"
    elif wanted:
        what = "the hash in the package fact is not the one in the verified fact"
    else:
        what = "the verified fact has no hash for this platform"
    return _problem(what, _RELOCK, found = "found sha256 {}{}, wanted {}".format(
        found,
        " of " + others[0] if others else "",
        wanted or "none",
    ))

def _judge_by_fact(subject, fact, policy, recorded):
    key = verified_key(subject.source, subject.version)
    verified, problem = read_verified(key, fact)
    problem = problem or _signer_problem(subject.source, verified, policy, recorded)
    if problem:
        return struct(unmet = None, problems = _for_all(subject, _problem(problem, _RELOCK)))
    problems = {
        platform: _hash_problem(verified.zh, platform, hash)
        for platform, hash in subject.packages.items()
    }
    problems = {platform: problem for platform, problem in problems.items() if problem}
    if verified.tier != "checksum" or subject.source in policy.allow_checksum:
        return struct(unmet = None, problems = problems)

    # A mirror's word binds, but verifies nothing.
    return struct(problems = problems, unmet = _problem(
        "its verified fact is a mirror's word only (tier checksum), and provider_locks_strict wants more",
        'If that is enough for this provider: allow_checksum = ["{}"] in tf.download'.format(subject.source),
    ))

def _judge_by_files(subject, locks):
    if locks and locks.problems:
        # What the files say of this version is not known. One may be about to be written, so only packages are refused.
        what = "provider_locks cannot be read: " + "; ".join([problem.removesuffix(".") for problem in locks.problems])
        return struct(unmet = None, problems = _for_all(subject, _problem(what, _READ_ERROR)))
    entries = covering_entries(locks, subject.source, subject.version)
    if entries:
        problems = {}
        for platform, hash in subject.packages.items():
            places = places_without(entries, hash)
            if places:
                problems[platform] = _problem(
                    "the hash in the package fact is not among the zh: hashes in " + " and ".join(places),
                    "Either that file is out of date, or the registry names another package than the one that was signed: find out which",
                    found = "found sha256 " + hash,
                )
        return struct(unmet = None, problems = problems)
    hint = uncovered_hint(locks, subject.source, subject.version)
    return struct(problems = {}, unmet = _problem(
        "it is not verified, and provider_locks_strict wants that" + (". " + hint if hint else ""),
        _LOCK,
    ))

def _judge(subject, policy, recorded, locks):
    """How one version stands.

    Returns:
        A struct of `problems` (by platform: why the package must not be fetched) and `unmet` (of a version that nothing vouches for: why
        strictness refuses it, else None).
    """
    fact = find_fact([recorded], verified_key(subject.source, subject.version))
    if fact != None:
        return _judge_by_fact(subject, fact, policy, recorded)
    return _judge_by_files(subject, locks)

def _subjects(answers):
    """The versions that have packages, each once, with the recorded hash of each platform."""
    subjects = {}
    for answer in answers:
        hashes = {
            platform: package.sha256
            for platform, package in sorted(answer.packages.items())
            if not package.unavailable
        }
        if hashes:
            subject = struct(source = answer.entry.source, version = answer.version, packages = hashes)
            subjects["{} {}".format(subject.source, subject.version)] = subject
    return [subjects[name] for name in sorted(subjects)]

def _unverified_warning(names, total, strict, has_facts):
    shown = ", ".join(names[:3]) + (" and {} more".format(len(names) - 3) if len(names) > 3 else "")
    repair = _LOCK
    if not has_facts:
        repair = ("This Bazel records no facts: give your tf_providers_lock target a lock_file, run `{}`, and list that file in " +
                  "provider_locks of tf.download").format(LOCK_COMMAND)
    return "{} of {} provider versions {} ({}): nothing but the registry's or mirror's word stands behind their hashes. {}.".format(
        len(names),
        total,
        "are not verified and refuse to be fetched, as provider_locks_strict wants" if strict else "are not verified",
        shown,
        repair,
    )

def group_by_text(texts):
    """Joins equal texts about several platforms.

    Args:
        texts: a dict of texts by platform.

    Returns:
        A list of pairs of a text and its platforms as one text, in the order of the platforms.
    """
    platforms = {}
    for platform in sorted(texts):
        platforms.setdefault(texts[platform], []).append(platform)
    return [(text, ", ".join(platforms[text])) for text in platforms]

def verify(config, answers, recorded, locks):
    """Decides which packages may be fetched.

    Args:
        config: as `read_config` returns it.
        answers: for each entry, as `read_answers` returns it.
        recorded: recorded facts, None on a Bazel without them.
        locks: what dependency locks say, as `read_response` returns it; None if they were not looked at.

    Returns:
        A struct of `refusals` (texts by key of the package) and `warnings`: one for each kind of refusal of a version, and one for all
        versions that are not verified.
    """
    policy = config.policy
    refusals, warnings, unverified = {}, [], []
    subjects = _subjects(answers)
    for subject in subjects:
        judged = _judge(subject, policy, recorded if recorded != None else {}, locks)
        unmet = _for_all(subject, judged.unmet) if judged.unmet and policy.strict else {}
        for platform, problem in (unmet | judged.problems).items():
            key = package_key(subject.source, subject.version, platform)
            refusals[key] = _REFUSED.format(subject.source, subject.version, platform, _text(problem, with_found = True))
        if judged.unmet:
            unverified.append("{} {}".format(subject.source, subject.version))
        texts = {platform: _text(problem, with_found = False) for platform, problem in judged.problems.items()}
        for text, platforms in group_by_text(texts):
            warnings.append(_REFUSED.format(subject.source, subject.version, platforms, text))
    if unverified:
        warnings.append(_unverified_warning(unverified, len(subjects), policy.strict, recorded != None))
    return struct(refusals = refusals, warnings = warnings)
