"""The shapes of recorded facts. A lockfile is edited by hand, by merges and by strangers, so nothing in it is taken on trust.

A fact of another shape is an error of its package alone. It is neither handed on to Bazel's downloader or the helper nor dropped:
dropping it would ask the registry again, and so lose the pin without a word.
"""

load(":constraint.bzl", "why_not_admitted")
load(":exact_version.bzl", "is_selectable", "read_version")
load(":shown_text.bzl", "shown")

visibility(["//tf/..."])

_HEX = "0123456789abcdef"
_DIGITS = "0123456789"
_HOST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"

_RESOLVE_MEMBERS = ["version"]
_PACKAGE_MEMBERS = ["download_url", "ephemeral", "filename", "mirror", "sha256", "unavailable"]

def is_sha256(text):
    """Whether a value is a SHA-256 in lower-case hex. Bazel fails beyond `allow_fail` when given anything else."""
    return type(text) == "string" and len(text) == 64 and all([c in _HEX for c in text.elems()])

def _unknown_members(value, known):
    """What is wrong with an object that has more members than are known: they would be kept for ever without meaning anything."""
    unknown = [shown(str(member)) for member in value if member not in known]
    return "it has members that mean nothing: " + ", ".join(sorted(unknown)[:3]) if unknown else None

def _is_host(authority):
    host, _, port = authority.partition(":") if not authority.startswith("[") else (authority[1:].partition("]")[0], "", "")
    return bool(host) and all([c in _HOST for c in host.replace(":", "").elems()]) and all([c in _DIGITS for c in port.elems()])

def _check_url(url):
    """What speaks against an address: it goes to Bazel's downloader, and holds no secret (design §3.5)."""
    if type(url) != "string":
        return "download_url is no string"
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("http", "https"):
        return "download_url does not begin with https:// or http://"
    if any([hash(c) <= 0x20 or hash(c) >= 0x7f or c in "\"\\<>^`{|}" for c in rest.elems()]):
        return "download_url has a character that no URL has"
    if "?" in rest or "#" in rest:
        return "download_url has a query or a fragment, so it is no lasting address"
    authority = rest.split("/")[0]
    if not authority:
        return "download_url has no host"
    if "@" in authority:
        return "download_url holds a user name or password"
    if not _is_host(authority):
        return "download_url has a host that is none"
    for escape in rest.split("%")[1:]:
        if len(escape) < 2 or not all([c in _HEX for c in escape[:2].lower().elems()]):
            return "download_url has a % that no two hexadecimal digits follow"
    return None

def _check_filename(name, prefix, version, platform):
    """Whether a file name is that of one package: `<prefix>_[v]<version>_<platform>.zip` (design §3.3)."""
    wanted = "{}_{}_{}.zip".format(prefix, version, platform)
    if type(name) != "string":
        return "filename is no string, wanted " + wanted
    start, end = prefix + "_", "_" + platform + ".zip"
    version_text = name[len(start):len(name) - len(end)].removeprefix("v")
    if not name.startswith(start) or not name.endswith(end) or read_version(version_text) != version:
        return "filename is {}, wanted {}".format(shown(name), wanted)
    return None

def _check_mirror(path, source, version, platform):
    """Whether a path below the root of a filesystem mirror is that of one package: `<source>/<zip>` (R-FS-3)."""
    provider, _, name = path.lower().rpartition("/") if type(path) == "string" else ("", "", "")
    prefix = "terraform-provider-{}_".format(source.split("/")[2])
    fields = name.removeprefix(prefix).removesuffix(".zip").split("_")
    if (provider == source and name.startswith(prefix) and name.endswith(".zip") and len(fields) >= 3 and
        read_version(fields[0]) == version and "_".join(fields[1:3]) == platform and
        not any([hash(c) < 0x20 or hash(c) >= 0x7f or c in "\\" for c in name.elems()])):
        return None
    return "mirror is no path of {} {} for {} below the root of a filesystem mirror".format(source, version, platform)

def _package(value, unavailable = False):
    return struct(
        unavailable = unavailable,
        url = value.get("download_url", ""),
        filename = value.get("filename", ""),
        sha256 = value.get("sha256", ""),
        ephemeral = value.get("ephemeral", False),
        mirror = value.get("mirror", ""),
    )

def read_resolve(value, constraint):
    """Reads a `resolve/` fact.

    Args:
        value: the recorded value, of any type.
        constraint: the constraint that it answers, None for the newest release.

    Returns:
        A pair of the version and a text that says what is wrong with the value, one of which is None.
    """
    if type(value) != "dict" or type(value.get("version")) != "string":
        return None, 'it is not of the form {"version": "1.2.3"}'
    version = value["version"]
    if read_version(version) != version or not is_selectable(version):
        return None, shown(version) + " is no version in canonical form"
    problem = _unknown_members(value, _RESOLVE_MEMBERS) or why_not_admitted(version, constraint)
    return (None, problem if problem.startswith("it ") else "{} {}".format(version, problem)) if problem else (version, None)

def read_package(value, source, version, platform):
    """Reads a `package/` fact.

    Args:
        value: the recorded value, of any type.
        source: `host/namespace/type`, as in the key of the fact.
        version: canonical, as in the key.
        platform: as in the key.

    Returns:
        A pair of the package and a text that says what is wrong with the value, one of which is None. The package is a struct of
        `unavailable`, `url`, `filename`, `sha256`, `ephemeral` and `mirror` (of a package in a filesystem mirror, which has no `url`:
        its path below the mirror's root).
    """
    if type(value) != "dict":
        return None, "it is no object"
    problem = _unknown_members(value, _PACKAGE_MEMBERS)
    if problem:
        return None, problem
    for flag in ["unavailable", "ephemeral"]:
        if type(value.get(flag, False)) != "bool":
            return None, flag + " is neither true nor false"
    if value.get("unavailable", False):
        if len(value) > 1:
            return None, "it says unavailable and more than that"
        return _package({}, unavailable = True), None
    if not is_sha256(value.get("sha256")):
        return None, "sha256 is not 64 lower-case hexadecimal digits"
    if "mirror" in value:
        problem = "it has mirror, and more than sha256 besides" if len(value) > 2 else None
        problem = problem or _check_mirror(value["mirror"], source, version, platform)
    else:
        problem = _check_url(value.get("download_url")) or _check_filename(
            value.get("filename"),
            "terraform-provider-" + source.split("/")[2],
            version,
            platform,
        )
    return (None, problem) if problem else (_package(value), None)

def without_none(value):
    """A fact without `None` in its dicts: Bazel leaves such members out when it writes the lockfile, and so never finds it up to date.

    Args:
        value: a recorded value. Only its own members and those of its members are looked at; facts are not deeper.

    Returns:
        The value, the same unless it had such members.
    """
    if type(value) != "dict":
        return value
    result = {}
    for key, member in value.items():
        if type(member) == "dict":
            member = {k: v for k, v in member.items() if v != None}
        if member != None:
            result[key] = member
    return result

def malformed(key, problem):
    """The error of a fact that has another shape than it should."""
    return ('the fact "{}" in MODULE.bazel.lock is malformed: {}. Restore that line from version control, or remove it ' +
            "to have the registry asked again, and rerun the command.").format(key, problem)
