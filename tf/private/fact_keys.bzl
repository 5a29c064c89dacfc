"""The names of facts in MODULE.bazel.lock: flat, one per smallest unit, so that a merge of two branches keeps both sides' entries.

`module_ctx.facts` cannot be listed, so whatever is to survive must be asked for by one of these names. The helper spells them alike.
"""

visibility(["//tf/..."])

def resolve_key(entry):
    """The version chosen for a constraint: `{"version": …}`. An exact entry has none."""
    return "resolve/{}/{}".format(entry.source, entry.constraint or "latest")

def package_key(source, version, platform):
    """Where one package is, and its hash; or that the registry has none."""
    return "package/{}/{}/{}".format(source, version, platform)

def verified_key(source, version):
    """The hashes that the publisher signed. Written by the lock command, carried forward here."""
    return "verified/{}/{}".format(source, version)

def signer_key(source):
    """Who signed this provider's releases so far. Written by the lock command, carried forward here."""
    return "signer/" + source

def retry_key(entry):
    """A mark that some answer for an entry is missing, which changes with each evaluation."""
    return "retry/{}/{}".format(entry.source, entry.request)

def find_fact(layers, key):
    """The first value for a key.

    Args:
        layers: a list of dicts or of `module_ctx.facts`, which offers no more than `in` and `[]`.
        key: as one of the functions above returns it.

    Returns:
        The value; None if no layer has one.
    """
    for layer in layers:
        if key in layer:
            return layer[key]
    return None
