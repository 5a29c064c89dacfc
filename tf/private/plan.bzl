"""Out of answers and failures: the repositories to declare, the facts to record and the warnings to print. Pure."""

load(":ephemeral.bzl", "request_settings")
load(":fact_keys.bzl", "find_fact", "package_key", "resolve_key", "retry_key", "signer_key", "verified_key")
load(":fact_shapes.bzl", "without_none")
load(":installation.bzl", "mirror_files")
load(":manifest.bzl", "hub_manifest")
load(":mirror_json.bzl", "with_wanted_by")
load(":repo_names.bzl", "repo_names")
load(":verification.bzl", "group_by_text")

visibility(["//tf/..."])

_UNANSWERED = "the helper gave neither an answer nor a reason. Please report this as a bug of rules_tf_mirror."

def _in_context(entry, message):
    # The helper names the entry itself, by its full source.
    text = message if entry.source in message else 'mirror entry "{}": {}'.format(entry.text, message)
    return with_wanted_by(text, entry.wanted_by)

def _package_outcome(answers, failure, platform):
    """One platform's package of one entry: a struct of `package` and `error`, and whether asking again may help (`failed`)."""
    if platform in answers.packages:
        return struct(package = answers.packages[platform], error = None, failed = False)
    if platform in answers.defects:
        return struct(package = None, error = _in_context(answers.entry, answers.defects[platform]), failed = False)
    message = answers.changed.get(platform)
    if not message and failure:
        message = failure.error or failure.packages.get(platform)
    return struct(package = None, error = _in_context(answers.entry, message or _UNANSWERED), failed = True)

def _entry_error(answers, failure):
    """Why an entry has no version, and whether asking again may help."""
    if answers.defect:
        return struct(error = _in_context(answers.entry, answers.defect), failed = False)
    message = failure.error if failure else None
    return struct(error = _in_context(answers.entry, message or _UNANSWERED), failed = True)

def _carried_facts(answers, layers, platforms, recorded_names):
    """Every fact about an entry that is to be found again. What is not asked for by name here is pruned."""
    entry = answers.entry
    keys = [signer_key(entry.source)]

    # A selection whose packages have changed is not recorded: the recorded packages would answer from then on, without a word.
    if entry.version == None and (not answers.changed or resolve_key(entry) in layers[0]):
        keys.append(resolve_key(entry))
    if answers.version:
        # `signer/` and `verified/` are the lock command's; the helper neither gets nor returns them here.
        keys.append(verified_key(entry.source, answers.version))
        keys += [package_key(entry.source, answers.version, platform) for platform in platforms]
    if not answers.version:
        # Which version it would be is not known, and its facts may well be there: they are for when the cause is gone, be it a defect of a
        # fact, a mistake in the entry or a registry that is down.
        prefixes = ("package/{}/".format(entry.source), verified_key(entry.source, ""))
        keys += [name for name in recorded_names if name.startswith(prefixes)]
    found = {key: find_fact(layers, key) for key in keys}
    return {key: without_none(value) for key, value in found.items() if value != None}

def _next_turn(entry, recorded):
    """A fact that differs from the one recorded.

    Bazel keeps the result of an evaluation, also one with failures in it. The changed lockfile makes the next command evaluate again,
    and is what `--lockfile_mode=error` fails for.
    """
    fact = find_fact([recorded], retry_key(entry))
    turn = fact.get("turn") if type(fact) == "dict" else None
    return {"turn": 1 if turn == 0 else 0}

def _package_repo(config, name, entry, version, platform, outcome, refusal):
    attrs = {
        "error": outcome.error or "",
        "host": entry.host,
        "name": name,
        "namespace": entry.namespace,
        "platform": platform,
        "type": entry.type,
        "version": version,
    }
    if not outcome.error:
        attrs.update({
            "ephemeral": outcome.package.ephemeral,
            "filename": outcome.package.filename,
            "refuse": with_wanted_by(refusal, entry.wanted_by) if refusal else "",
            "sha256": outcome.package.sha256,
            "url": outcome.package.url,
        })
        if outcome.package.ephemeral:
            attrs["request"] = request_settings(config)
        if outcome.package.mirror:
            attrs["mirror"] = outcome.package.mirror
            attrs["mirror_files"] = mirror_files(config.installation, outcome.package.mirror)
    return attrs

def make_plan(config, answers, failures, layers, refusals, recorded_names):
    """Decides what the extension declares and records.

    Args:
        config: as `read_config` returns it.
        answers: for each entry, as `read_answers` returns it from `layers`.
        failures: a dict from entries' indexes to failures as `read_response` returns them.
        layers: recorded facts, and those that the helper returned if it was asked.
        refusals: texts by key of the package, as `verify` returns them.
        recorded_names: the names of all recorded facts.

    Returns:
        A struct of `packages` and `errors` (lists of attributes of the repositories to declare), `hub` (what the hub shows, a dict),
        `facts` (to record), `warnings` and `failed` (texts of what asking again may repair).
    """
    identities = []
    for answer in answers:
        if answer.version:
            identities += [
                (answer.entry.type, package_key(answer.entry.source, answer.version, platform))
                for platform in config.platforms
            ]
        else:
            identities.append(("error", resolve_key(answer.entry)))
    names = repo_names(identities)

    packages, errors, hub_packages, hub_errors, wanted_by = {}, {}, {}, {}, {}
    new_facts, warnings, failed = {}, list(config.warnings), []
    for index, answer in enumerate(answers):
        entry, failure = answer.entry, failures.get(index)
        new_facts.update(_carried_facts(answer, layers, config.platforms, recorded_names))
        missing, unmet, going_without = [], {}, []
        if not answer.version:
            outcome = _entry_error(answer, failure)
            name = names[resolve_key(entry)]
            errors[name] = {"error": outcome.error, "name": name}
            hub_errors[name] = None
            missing = [outcome.error] if outcome.failed else []
        for platform in config.platforms if answer.version else []:
            outcome = _package_outcome(answer, failure, platform)
            if outcome.failed:
                unmet[platform] = outcome.error
            key = package_key(entry.source, answer.version, platform)
            name = names[key]
            unavailable = not outcome.error and outcome.package.unavailable
            optional = platform in config.optional_platforms
            position = (entry.host, entry.namespace, entry.type, answer.version, platform)
            if unavailable:
                wanted_by.setdefault(position, {}).update({who: None for who in entry.wanted_by})
            if position in hub_packages:
                continue
            if unavailable and optional:
                going_without.append(platform)
            hub_packages[position] = {
                "host": entry.host,
                "namespace": entry.namespace,
                "optional": optional,
                "platform": platform,
                "repo": "" if unavailable else name,
                "type": entry.type,
                "version": answer.version,
            }
            if not unavailable:
                packages[name] = _package_repo(config, name, entry, answer.version, platform, outcome, refusals.get(key, ""))
        for text, platforms in group_by_text(unmet):
            # What failed for the entry as a whole failed before any platform was asked for.
            missing.append(text if failure and failure.error else "{} ({})".format(text, platforms))
        if going_without:
            warnings.append("{} {} has no package for {}: such a mirror goes without, as optional_platforms says".format(
                entry.source,
                answer.version,
                ", ".join(going_without),
            ))
        if missing:
            new_facts[retry_key(entry)] = _next_turn(entry, layers[0])
            failed += missing

    return struct(
        packages = [packages[name] for name in sorted(packages)],
        errors = [errors[name] for name in sorted(errors)],
        hub = {
            "errors": sorted(hub_errors),
            "manifest": hub_manifest(config, [(answer.entry, answer.version) for answer in answers]),
            "packages": [
                hub_packages[key] | ({"wanted_by": sorted(wanted_by[key])} if wanted_by.get(key) else {})
                for key in sorted(hub_packages)
            ],
            "platforms": config.platforms,
        },
        facts = new_facts,
        warnings = warnings,
        failed = failed,
    )
