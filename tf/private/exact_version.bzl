"""Which constraints name one exact version, and the canonical text of a version.

An exact constraint needs no version list and has no `resolve/` fact, so the extension must recognise it without the helper.
"""

visibility(["//tf/..."])

_DIGITS = "0123456789"
_IDENTIFIER = _DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"

# Beyond 63 bits the tools' parser of constraints fails, and beyond 64 that of versions (R-VER-5).
_MOST_IN_CONSTRAINT = "9223372036854775807"
_MOST_IN_VERSION = "18446744073709551615"

# A longer version could not be a part of a file name.
_MOST_CHARACTERS = 128

def _number(text, most):
    """A number in canonical decimal, None if it is none or too large. Compared as text: it may have any length."""
    if not text or not all([c in _DIGITS for c in text.elems()]):
        return None
    number = text.lstrip("0") or "0"
    return number if len(number) < len(most) or len(number) == len(most) and number <= most else None

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
    numbers, _, prerelease = rest.partition("-")
    if prerelease and not _is_dotted(prerelease) or plus and not _is_dotted(metadata):
        return None

    # A hyphen with nothing behind it is accepted by both parsers, and means no prerelease (table after R-CON-12).
    return _join(numbers.split("."), prerelease, metadata, _MOST_IN_CONSTRAINT)

def _join(parts, prerelease, metadata, most):
    numbers = [_number(part, most) for part in parts]
    if len(numbers) > 3 or None in numbers:
        return None
    text = ".".join((numbers + ["0", "0"])[:3])
    text += ("-" + prerelease if prerelease else "") + ("+" + metadata if metadata else "")
    return text if len(text) <= _MOST_CHARACTERS else None

def read_version(text):
    """Reads a version as it stands in a registry's list or in a fact, where more is allowed than in a constraint (R-VER-1..5).

    Args:
        text: the version.

    Returns:
        It in canonical form; None if it is no version.
    """
    rest, plus, metadata = text.partition("+")
    numbers, dash, prerelease = rest.partition("-")
    if len(text) > _MOST_CHARACTERS or not all([c in _IDENTIFIER + "." for c in (prerelease + metadata).elems()]):
        return None

    # Of an empty tail only the mark is there, and counts for nothing (R-VER-3).
    if dash and plus and not prerelease:
        return None
    if not dash and not plus and len(numbers) > 1:
        numbers = numbers.removesuffix(".")
    return _join(numbers.split("."), prerelease, metadata, _MOST_IN_VERSION)

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
