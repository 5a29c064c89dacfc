"""Which constraints name one exact version, and the canonical text of a version.

An exact constraint needs no version list and has no `resolve/` fact, so the extension must recognise it without the helper.
"""

visibility(["//tf/..."])

_DIGITS = "0123456789"
_IDENTIFIER = _DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"

def _is_number(text):
    return bool(text) and all([c in _DIGITS for c in text.elems()])

def _is_dotted(text):
    return all([
        bool(part) and all([c in _IDENTIFIER for c in part.elems()])
        for part in text.split(".")
    ])

def canonical_version(text):
    """A version as facts, paths and labels spell it.

    Args:
        text: one to three numbers, with an optional prerelease and metadata (R-VER-2).

    Returns:
        Three numbers without leading zeros, prerelease and metadata as they are; None if `text` is no version.
    """
    rest, plus, metadata = text.partition("+")
    numbers, dash, prerelease = rest.partition("-")
    parts = numbers.split(".")
    if len(parts) > 3 or not all([_is_number(part) for part in parts]):
        return None
    if prerelease and not _is_dotted(prerelease) or plus and not _is_dotted(metadata):
        return None
    padded = [part.lstrip("0") or "0" for part in parts] + ["0", "0"]

    # A hyphen with nothing behind it is accepted by both parsers, and means no prerelease (table after R-CON-12).
    return ".".join(padded[:3]) + (dash + prerelease if prerelease else "") + plus + metadata

def exact_version(constraint):
    """The version that a constraint names, if it is exact.

    Args:
        constraint: trimmed text of a constraint.

    Returns:
        The canonical version, if the constraint is one term with `=` or without operator; None for any other text, also for one that
        is no constraint at all: the helper says what is wrong with it.
    """
    if constraint.startswith("="):
        constraint = constraint[1:].removeprefix(" ")  # one space or none (R-CON-4)
    return canonical_version(constraint)

def is_selectable(version):
    """Whether the tools can select a version: 0.0.0 counts as unspecified (R-CON-11)."""
    return version != "0.0.0"
