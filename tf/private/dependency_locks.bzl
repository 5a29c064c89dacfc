"""Dependency locks, `.terraform.lock.hcl`, as a second source of verified hashes. Pure; the helper parses the files.

A lock lists the hashes of all platforms without saying which is whose. So it binds a version to a set of packages, not a package to its
platform, and decides only for versions without a `verified/` fact.
"""

visibility(["//tf/..."])

_ZIP = "zh:"

def shown_label(label):
    """A label for people: without the `@@` of the main repository."""
    text = str(label)
    return text.removeprefix("@@") if text.startswith("@@//") else text

def workspace_path(label):
    """The path of a file below the workspace.

    Args:
        label: a label.

    Returns:
        Text; None if the file is of another repository than the main one.
    """
    text = shown_label(label)
    return text.removeprefix("//").replace(":", "/").removeprefix("/") if text.startswith("//") else None

def read_locks(answer, labels):
    """Reads the member `provider_locks` of a response.

    Args:
        answer: its value, None if there is none.
        labels: labels of the files by the paths that were asked for. Texts name the labels: a path is of one machine.

    Returns:
        None if there is no answer, else a struct of `entries` (by `source/version`, lists of structs of `place` and `hashes`) and
        `problems` (texts, if the files could not be read).
    """
    if answer == None:
        return None
    return struct(
        entries = {
            key: [
                struct(
                    place = "{}:{}".format(labels.get(entry["path"], entry["path"]), entry["line"]),
                    hashes = entry.get("hashes") or [],
                )
                for entry in entries
            ]
            for key, entries in (answer.get("entries") or {}).items()
        },
        problems = [with_labels(problem, labels) for problem in answer.get("problems") or []],
    )

def with_labels(text, labels):
    """A text with labels in place of paths."""
    for path in reversed(sorted(labels)):
        text = text.replace(path, labels[path])
    return text

def covering_entries(locks, source, version):
    """The entries for a version that have a hash of a package. `h1:` is the hash of what is unpacked, which says nothing of the download."""
    entries = locks.entries.get("{}/{}".format(source, version), []) if locks else []
    return [entry for entry in entries if any([hash.startswith(_ZIP) for hash in entry.hashes])]

def places_without(entries, sha256):
    """Where a package's hash is missing: each of the files must have it.

    Args:
        entries: as `covering_entries` returns them.
        sha256: of the package.

    Returns:
        A list of texts like `//:a.hcl:4`.
    """
    return [entry.place for entry in entries if _ZIP + sha256 not in entry.hashes]

def uncovered_hint(locks, source, version):
    """Why the files do not cover a version.

    Args:
        locks: as `read_locks` returns it.
        source: `host/namespace/type`.
        version: the version.

    Returns:
        Text, empty if the files do not name the provider, or were not read.
    """
    if not locks:
        return ""
    if "{}/{}".format(source, version) in locks.entries:
        return "provider_locks has no zh: hash of it"
    others = sorted([key.rpartition("/")[2] for key in locks.entries if key.rpartition("/")[0] == source])
    return "provider_locks has other versions of it: {}".format(", ".join(others)) if others else ""
