"""What facts answer about one entry, and what remains to be asked."""

load(":exact_version.bzl", "is_selectable")
load(":fact_keys.bzl", "find_fact", "package_key", "resolve_key")
load(":fact_shapes.bzl", "malformed", "read_package", "read_resolve")

visibility(["//tf/..."])

_CONTENT_CHANGED = ('the registry now names another package: sha256 {}, but the fact "{}" in MODULE.bazel.lock records {}. If the ' +
                    "publisher has replaced the package on purpose, remove that fact and rerun the command.")

def _contradiction(layers, key, package):
    """What is wrong if a later layer names other content than the first; None if none does."""
    for layer in layers:
        other = layer[key] if key in layer else None
        if type(other) == "dict" and other.get("sha256", package.sha256) != package.sha256:
            return _CONTENT_CHANGED.format(other["sha256"], key, package.sha256 or "that there is none")
    return None

def read_answers(entry, platforms, layers):
    """Reads all facts about one entry, asking for each by name.

    Args:
        entry: as `parse_entry` returns it.
        platforms: the platforms to read packages for.
        layers: as for `find_fact`; recorded facts come before new ones.

    Returns:
        A struct of `entry`, `version` (None if unknown), `defect` (error text if the version cannot be known because the fact about it
        is malformed, or no answer to the constraint), `packages` (by platform: a struct as `read_package` returns it, for those that are answered), `defects` (by
        platform: error text of a malformed fact), `changed` (by platform: error text, if a new fact contradicts the recorded one) and
        `open` (whether something is left to ask).
    """
    version, defect = entry.version, None
    if version != None:
        if not is_selectable(version):
            # The helper explains; facts written by hand must not get around it.
            return struct(entry = entry, version = version, defect = None, packages = {}, defects = {}, changed = {}, open = True)
    elif find_fact(layers, resolve_key(entry)) != None:
        version, problem = read_resolve(find_fact(layers, resolve_key(entry)), entry.constraint)
        if problem:
            defect = malformed(resolve_key(entry), problem)
    packages, defects, changed = {}, {}, {}
    for platform in platforms if version else []:
        key = package_key(entry.source, version, platform)
        fact = find_fact(layers, key)
        if fact == None:
            continue
        package, problem = read_package(fact, entry.source, version, platform)
        contradiction = _contradiction(layers, key, package) if package else None
        if problem:
            defects[platform] = malformed(key, problem)
        elif contradiction:
            changed[platform] = contradiction
        else:
            packages[platform] = package
    return struct(
        entry = entry,
        version = version,
        defect = defect,
        packages = packages,
        defects = defects,
        changed = changed,
        open = not defect and len(packages) + len(defects) + len(changed) < len(platforms),
    )

def well_formed_facts(answers, layers):
    """The facts about an entry that may be handed to the helper.

    Args:
        answers: as `read_answers` returns it.
        layers: what they were read from.

    Returns:
        A dict of `resolve/` and `package/` facts.
    """
    keys = [resolve_key(answers.entry)] if answers.entry.version == None and answers.version else []
    keys += [package_key(answers.entry.source, answers.version, platform) for platform in answers.packages]
    return {key: find_fact(layers, key) for key in keys}
