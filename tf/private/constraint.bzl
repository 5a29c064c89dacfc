"""What a constraint admits, to see that a recorded version is an answer to it. The helper selects versions; this only checks. Pure."""

load(":exact_version.bzl", "read_version")

visibility(["//tf/..."])

_OPERATORS = ["!=", ">=", "<=", "~>", "=", ">", "<"]  # the longer ones first (R-CON-3)

def _numbers(version):
    return [int(number) for number in version.partition("+")[0].partition("-")[0].split(".")]

def _prerelease(version):
    return version.partition("+")[0].partition("-")[2]

def _read_term(term):
    """An operator, the version behind it and how many numbers were written; None if this is no term."""
    text, operator = term.strip(), "="
    for candidate in _OPERATORS:
        if text.startswith(candidate):
            text, operator = text.removeprefix(candidate).removeprefix(" "), candidate  # one space or none (R-CON-4)
            break
    boundary = read_version(text)
    if boundary == None:
        return None
    return struct(
        operator = operator,
        boundary = boundary,
        written = len(text.partition("+")[0].partition("-")[0].rstrip(".").split(".")),
    )

def _admits(term, version):
    """Whether a term can hold for a version. Of two prereleases of the same numbers it is not known which is the higher one."""
    if term.operator in ("=", "!="):
        return (version == term.boundary) == (term.operator == "=")
    found, wanted = _numbers(version), _numbers(term.boundary)
    open = found == wanted and (_prerelease(version) or _prerelease(term.boundary))
    if term.operator == ">":
        return found > wanted or open
    if term.operator == ">=":
        return found >= wanted
    if term.operator == "<":
        return found < wanted or open
    if term.operator == "<=":
        return found <= wanted

    # "~>": up to the next major version, with three numbers up to the next minor one (R-CON-8). A prerelease of that is below it (R-CON-9).
    end = [wanted[0], wanted[1] + 1, 0] if term.written == 3 else [wanted[0] + 1, 0, 0]
    return found >= wanted and (found < end or found == end and bool(_prerelease(version)))

def why_not_admitted(version, constraint):
    """Why a constraint does not admit a version, as far as that is certain without comparing prereleases.

    Args:
        version: in canonical form.
        constraint: trimmed text of a constraint, None for the newest release.

    Returns:
        A text that follows "it"; None if the version may be an answer.
    """
    terms = [_read_term(term) for term in constraint.split(",")] if constraint else []
    if None in terms:
        return 'answers "{}", which is no constraint'.format(constraint)
    for term in terms:
        if not _admits(term, version):
            return 'is not admitted by "{}"'.format(constraint)
    if _prerelease(version) and not [term for term in terms if term.operator == "=" and term.boundary == version]:
        return "is a prerelease, which only its exact version selects"  # R-CON-10
    return None
