"""One configuration out of the tags of all modules."""

load(":exact_version.bzl", "canonical_version")
load(":installation.bzl", "read_installation")
load(":mirror_json.bzl", "parse_mirror_json", "with_wanted_by")
load(":platforms.bzl", "DEFAULT_PLATFORMS", "is_platform")
load(":policy.bzl", "POLICY_ATTRIBUTES", "read_policy")
load(":sources.bzl", "parse_entry", "with_wishes")

visibility(["//tf/..."])

_DEFAULT_HOST = {
    "terraform": "registry.terraform.io",
    "tofu": "registry.opentofu.org",
}

# What only the root module may say. `tflint_version` and `tfdoc_version` are not: a module's old tag must not break its dependents.
_ROOT_ONLY = ["version", "use_tofu", "platforms", "optional_platforms", "installation"] + POLICY_ATTRIBUTES
_IGNORED = ["tflint_version", "tfdoc_version"]

def _module_name(module):
    return 'module "{}"'.format(module.name) if module.name else "the root module"

def _set_attributes(tag, names):
    return [name for name in names if getattr(tag, name)]

def _check_version(version):
    if version and ("+" in version or canonical_version(version) != version or len(version.split("-")[0].split(".")) != 3):
        return ('tf.download(version = "{}"): this must be one exact version of the tool, ' +
                'such as "1.9.5" or "1.10.0-rc1"').format(version)
    return None

def _check_platforms(attribute, platforms):
    for platform in platforms:
        if not is_platform(platform):
            return 'tf.download({} = …): "{}" is no platform. Write it like "linux_amd64".'.format(attribute, platform)
    return None

def _setting(modules, name):
    """The value that the root module's tags give a setting, and an error if two give it different ones."""
    found = None
    for module in modules:
        for tag in module.tags.download if module.is_root else []:
            value = getattr(tag, name)
            if not value:
                continue
            comparable = sorted([str(item) for item in value]) if type(value) == "list" else value
            if found != None and found[0] != comparable:
                return None, ("two tf.download tags of the root module differ in {}: {} and {}. " +
                              "Keep it in one of them.").format(name, repr(found[1]), repr(value))
            found = found or (comparable, value)
    return found[1] if found else None, None

def _check_foreign(module):
    for tag in module.tags.download if not module.is_root else []:
        foreign = _set_attributes(tag, _ROOT_ONLY)
        if foreign:
            return ("{} sets {} in a tf.download tag. Only the root module may; other modules add entries with mirror or " +
                    "mirror_json and leave the rest to it.").format(_module_name(module), ", ".join(foreign))
    return None

def _written_entries(module, read_json):
    """All entries of a module as written, each with who wants it."""
    written = []
    for tag in module.tags.download:
        if tag.mirror and tag.mirror_json:
            return None, "{}: a tf.download tag has both mirror and mirror_json. Use two tags.".format(_module_name(module))
        entries = [struct(text = text, wanted_by = []) for text in tag.mirror]
        if tag.mirror_json:
            text = read_json(tag.mirror_json)
            if text == None:
                return None, ('{}: mirror_json = "{}" in a tf.download tag: there is no such file. Make it, or take the ' +
                              "attribute out.").format(_module_name(module), tag.mirror_json)
            entries, problem = parse_mirror_json(text)
            if problem:
                return None, "{}: {}: {}.".format(_module_name(module), tag.mirror_json, problem)
        written.extend(entries)
    return written, None

def _entries(modules, default_host, read_json):
    entries, wanted_by = {}, {}
    for module in modules:
        written, problem = _written_entries(module, read_json)
        if problem:
            return None, problem
        for item in written:
            entry, problem = parse_entry(item.text, default_host)
            if problem:
                return None, "{}: {}".format(_module_name(module), with_wanted_by(problem, item.wanted_by))
            key = (entry.host, entry.namespace, entry.type, entry.request)
            entries.setdefault(key, entry)
            wanted_by.setdefault(key, {}).update({who: None for who in item.wanted_by})

    # Sorted, so that neither the order of tags nor that of modules is seen in facts and repositories.
    return [with_wishes(entries[key], sorted(wanted_by[key])) for key in sorted(entries)], None

def read_config(modules, read_json, is_directory):
    """Reads the tags of all modules.

    Args:
        modules: `module_ctx.modules`.
        read_json: a function from the value of `mirror_json` to the content of that file, None if there is none.
        is_directory: a function from a label to whether it names a directory.

    Returns:
        A pair of the configuration and an error, one of which is None. The configuration is a struct of `tool` ("terraform" or
        "tofu"), `tool_version` (None if not given), `platforms` (sorted), `optional_platforms`, `entries` (as `parse_entry` returns
        them, sorted, without duplicates), `policy` (as `read_policy` returns it), `installation` (as `read_installation` returns it)
        and `warnings`.
    """
    settings = {}
    for name in _ROOT_ONLY:
        settings[name], problem = _setting(modules, name)
        if problem:
            return None, problem
    problems = [_check_foreign(module) for module in modules] + [
        _check_version(settings["version"]),
        _check_platforms("platforms", settings["platforms"] or []),
        _check_platforms("optional_platforms", settings["optional_platforms"] or []),
    ]
    for problem in problems:
        if problem:
            return None, problem
    tool = "tofu" if settings["use_tofu"] else "terraform"
    entries, problem = _entries(modules, _DEFAULT_HOST[tool], read_json)
    if problem:
        return None, problem
    policy, problem = read_policy(settings, entries, _DEFAULT_HOST[tool])
    if problem:
        return None, problem
    installation, problem = read_installation(modules, settings["installation"], tool, is_directory)
    if problem:
        return None, problem
    optional = settings["optional_platforms"] or []
    ignored = sorted({
        name: None
        for module in modules
        for tag in module.tags.download
        for name in _set_attributes(tag, _IGNORED)
    })
    return struct(
        tool = tool,
        tool_version = settings["version"],
        platforms = sorted({p: None for p in (settings["platforms"] or DEFAULT_PLATFORMS) + optional}),
        optional_platforms = sorted({p: None for p in optional}),
        entries = entries,
        installation = installation,
        policy = policy,
        warnings = ["tf.download: {} is ignored: rules_tf_mirror provides no such tool".format(" and ".join(ignored))] if ignored else [],
    ), None
