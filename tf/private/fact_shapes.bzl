"""The shapes of recorded facts. A lockfile is edited by hand, by merges and by strangers, so nothing in it is taken on trust.

A fact of another shape is an error of its package alone. It is neither handed on to Bazel's downloader or the helper nor dropped:
dropping it would ask the registry again, and so lose the pin without a word.
"""

load(":exact_version.bzl", "canonical_version", "is_selectable")

visibility(["//tf/..."])

_HEX = "0123456789abcdef"

def is_sha256(text):
    """Whether a value is a SHA-256 in lower-case hex. Bazel fails beyond `allow_fail` when given anything else."""
    return type(text) == "string" and len(text) == 64 and all([c in _HEX for c in text.elems()])

def _check_url(url, ephemeral):
    if type(url) != "string":
        return "download_url is no string"
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("http", "https"):
        return "download_url does not begin with https:// or http://"
    authority = rest.split("/")[0].split("?")[0].split("#")[0]
    if not authority:
        return "download_url has no host"
    if "@" in authority:
        return "download_url holds a user name or password"
    if ("?" in rest or "#" in rest) and not ephemeral:
        return "download_url has a query, so it is no lasting address"
    if any([c in " \t\r\n\"\\" for c in rest.elems()]):
        return "download_url has a character that no URL has"
    return None

def _is_mirror_path(path):
    """Whether a value is a path of a zip below the root of a filesystem mirror. The hash decides what is there; this keeps it inside."""
    parts = path.split("/") if type(path) == "string" else []
    if len(parts) != 4 or not parts[3].lower().endswith(".zip"):
        return False
    return all([part not in ("", ".", "..") and not any([c in "\\\t\r\n" for c in part.elems()]) for part in parts])

def _package(value, unavailable = False):
    return struct(
        unavailable = unavailable,
        url = value.get("download_url", ""),
        filename = value.get("filename", ""),
        sha256 = value.get("sha256", ""),
        ephemeral = value.get("ephemeral", False),
        mirror = value.get("mirror", ""),
    )

def read_resolve(value):
    """Reads a `resolve/` fact.

    Args:
        value: the recorded value, of any type.

    Returns:
        A pair of the version and a text that says what is wrong with the value, one of which is None.
    """
    if type(value) != "dict" or type(value.get("version")) != "string":
        return None, 'it is not of the form {"version": "1.2.3"}'
    version = value["version"]
    if canonical_version(version) != version or not is_selectable(version):
        return None, '"{}" is no version in canonical form'.format(version)
    return version, None

def read_package(value):
    """Reads a `package/` fact.

    Args:
        value: the recorded value, of any type.

    Returns:
        A pair of the package and a text that says what is wrong with the value, one of which is None. The package is a struct of
        `unavailable`, `url`, `filename`, `sha256`, `ephemeral` and `mirror` (of a package in a filesystem mirror, which has no `url`:
        its path below the mirror's root).
    """
    if type(value) != "dict":
        return None, "it is no object"
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
        if sorted(value) != ["mirror", "sha256"]:
            return None, "it has mirror, and more than sha256 besides"
        if not _is_mirror_path(value["mirror"]):
            return None, "mirror is no path <host>/<namespace>/<type>/<zip> below the root of a filesystem mirror"
        return _package(value), None
    problem = _check_url(value.get("download_url"), value.get("ephemeral", False))
    if problem:
        return None, problem
    filename = value.get("filename")
    if type(filename) != "string" or not filename.endswith(".zip") or "/" in filename or "\\" in filename:
        return None, "filename is no plain name that ends in .zip"
    return _package(value), None

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
