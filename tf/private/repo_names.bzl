"""Names of the repositories of packages.

On Windows a path has at most 259 characters, and a package's directory alone takes a good part of them: of the path of a file in a
package only the repository's name can be short. So it is the beginning of the provider's type, for those who read it, and a hash.
"""

visibility(["//tf/..."])

_HEX = "0123456789abcdef"
_TYPE_LENGTH = 12

def _hex32(number):
    number = number % 4294967296
    return "".join([_HEX[number // power % 16] for power in [
        268435456,
        16777216,
        1048576,
        65536,
        4096,
        256,
        16,
        1,
    ]])

def repo_names(identities):
    """Names for packages.

    Args:
        identities: a list of pairs of a readable beginning and a text that identifies the package.

    Returns:
        A dict from those texts to names of at most 21 characters, two more for each that shares a hash. A name depends on nothing but
        its own pair, unless two share the whole name.
    """
    by_name = {}
    for readable, identity in identities:
        name = "{}_{}".format(readable[:_TYPE_LENGTH], _hex32(hash(identity)))
        if identity not in by_name.setdefault(name, []):
            by_name[name].append(identity)
    result = {}
    for name, sharing in by_name.items():
        for index, identity in enumerate(sorted(sharing)):
            result[identity] = name if index == 0 else "{}_{}".format(name, index + 1)
    return result
