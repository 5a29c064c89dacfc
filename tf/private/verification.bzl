"""Which packages may be fetched: the recorded hashes, held against what the publisher signed. Pure.

A refusal is that of one package's repository: it fails before a byte is fetched, and what does not use it builds. The lock target depends
on no package, so it runs whatever is refused here.
"""

load(":dependency_locks.bzl", "covering_entries", "not_listed", "uncovered_hint")
load(":fact_keys.bzl", "find_fact", "package_key", "signer_key", "verified_key")
load(":signers.bzl", "allowed_signers", "built_in_signers", "why_retired")
load(":trust_facts.bzl", "read_signer", "read_verified")

visibility(["//tf/..."])

# By what a version is verified, if it is.
_BY_FACT = "fact"
_BY_FILE = "file"

LOCK_COMMAND = "bazel run //:providers_lock"

_RELOCK = "To verify again, run `{}` (a tf_providers_lock target), and look at who changed MODULE.bazel.lock".format(LOCK_COMMAND)
_NOT_LOCKED = ("it is not verified, and provider_locks_strict wants that. Run `{}` (a tf_providers_lock target) and commit " +
               "MODULE.bazel.lock").format(LOCK_COMMAND)
_MIRROR_ONLY = ("its verified fact is a mirror's word only (tier checksum), and provider_locks_strict wants more. To let it do for this " +
                'provider: allow_checksum = ["{}"]')

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
    for other, hash in sorted(zh.items()):
        if hash == found:
            return "the package fact has the hash of the package for {} ({})".format(other, found)
    if not wanted:
        return "the package fact has sha256 {}, but the verified fact has no hash for this platform".format(found)
    return "the package fact has sha256 {}, but the verified fact has {}".format(found, wanted)

def _judge_by_fact(subject, fact, policy, recorded):
    key = verified_key(subject.source, subject.version)
    verified, problem = read_verified(key, fact)
    problem = problem or _signer_problem(subject.source, verified, policy, recorded)
    if problem:
        return struct(by = _BY_FACT, problems = {platform: "{}. {}".format(problem, _RELOCK) for platform in subject.packages})
    problems = {
        platform: _hash_problem(verified.zh, platform, hash)
        for platform, hash in subject.packages.items()
    }
    problems = {platform: "{}. {}".format(problem, _RELOCK) for platform, problem in problems.items() if problem}
    if verified.tier == "checksum" and subject.source not in policy.allow_checksum:
        # Its hashes bind all the same.
        unmet = {platform: _MIRROR_ONLY.format(subject.source) for platform in subject.packages} if policy.strict else {}
        return struct(by = None, problems = unmet | problems)
    return struct(by = _BY_FACT, problems = problems)

def _judge(subject, policy, recorded, locks):
    """How one version stands: a struct of `by` (by what it is verified, None: by nothing) and `problems` (by platform)."""
    fact = find_fact([recorded], verified_key(subject.source, subject.version))
    if fact != None:
        return _judge_by_fact(subject, fact, policy, recorded)
    if locks and locks.problems:
        # What the files say of this version is not known. They may not be written yet, so only packages are refused.
        text = "provider_locks cannot be read: {}".format("; ".join(locks.problems))
        return struct(by = _BY_FILE, problems = {platform: text for platform in subject.packages})
    entries = covering_entries(locks, subject.source, subject.version)
    if entries:
        problems = {platform: not_listed(entries, hash) for platform, hash in subject.packages.items()}
        return struct(by = _BY_FILE, problems = {platform: problem for platform, problem in problems.items() if problem})
    hint = uncovered_hint(locks, subject.source, subject.version)
    text = _NOT_LOCKED + (". " + hint if hint else "")
    return struct(by = None, problems = {platform: text for platform in subject.packages} if policy.strict else {})

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
    repair = "Run `{}` (a tf_providers_lock target) and commit MODULE.bazel.lock".format(LOCK_COMMAND)
    if not has_facts:
        repair = ("This Bazel records no facts: give your tf_providers_lock target a lock_file, run `{}`, and list that file in " +
                  "provider_locks of tf.download").format(LOCK_COMMAND)
    return "{} of {} provider versions {} ({}): nothing but the registry's word stands behind their hashes. {}.".format(
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
        for platform, problem in judged.problems.items():
            refusals[package_key(subject.source, subject.version, platform)] = "provider {} {} for {} is refused: {}.".format(
                subject.source,
                subject.version,
                platform,
                problem.removesuffix("."),
            )
        if not judged.by:
            unverified.append("{} {}".format(subject.source, subject.version))
            continue
        for problem, platforms in group_by_text(judged.problems):
            warnings.append("provider {} {} is refused: {} ({})".format(subject.source, subject.version, problem.removesuffix("."), platforms))
    if unverified:
        warnings.append(_unverified_warning(unverified, len(subjects), policy.strict, recorded != None))
    return struct(refusals = refusals, warnings = warnings)
