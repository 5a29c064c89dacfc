"""Facts, as recorded in the lockfile of the workspace at this moment.

Up to Bazel 9.2 an extension is not evaluated for facts that were edited, and from 9.3 on such an edit is undone. So the lockfile is made
an input of the extension. An evaluation that returns what it was given changes nothing, so this comes to rest by itself.
"""

visibility(["//tf/..."])

# Bazel names the extension after the file that exports it, so this label must follow it.
_EXTENSION = "{}%tf_repositories".format(Label("//tf:extensions.bzl"))

# Bazel's own reader forgives what JSON does not have, such as a comment or a byte order mark. Taking such a file for one without facts would drop
# every verified hash and signer, and the next lock would trust whoever signs then.
_UNREADABLE = ("MODULE.bazel.lock is not plain JSON (a comment, a byte order mark, quotes of another kind?), so what it records about " +
               "providers cannot be read. Restore it from version control, or take out what was added by hand.")

def _workspace_lockfile(module_ctx):
    # The working directory is <output base>/modextwd/<extension>, and the output base says where its workspace is. The label of the
    # lockfile would need a BUILD file in the workspace's root, and its lack cannot be caught.
    marker = module_ctx.path(".").dirname.dirname.get_child("DO_NOT_BUILD_HERE")
    if marker.exists:
        workspace = module_ctx.read(marker, watch = "no").strip()
        return module_ctx.path(workspace).get_child("MODULE.bazel.lock")
    return module_ctx.path(Label("@@//:MODULE.bazel.lock"))

def recorded_names(text, extension = _EXTENSION, isolated = False):
    """The names of the facts of this extension in a lockfile.

    Args:
        text: content of the lockfile.
        extension: canonical id of the extension. In the root module Bazel leaves the leading `@@` out.
        isolated: whether the usage is isolated: Bazel then puts its name behind the id, which the extension is not told.

    Returns:
        A list; None if the lockfile has none. The whole key must be there: rules_tf's own extension ends with the same text.
    """
    lockfile = json.decode(text, default = None) if text.strip() else {}
    if lockfile == None:
        fail(_UNREADABLE)
    facts = lockfile.get("facts") if type(lockfile) == "dict" else None
    names, found = [], False
    for key, values in facts.items() if type(facts) == "dict" else []:
        id = key.partition("%")[0] + "%" + key.split("%")[1] if isolated and key.count("%") > 1 else key
        if id == extension or extension.startswith("@@//") and id == extension.removeprefix("@@"):
            found = True
            names += values.keys() if type(values) == "dict" else []
    return names if found else None

def recorded_facts(module_ctx):
    """The facts in the workspace's lockfile; an edit of them evaluates the extension.

    Args:
        module_ctx: the context of the extension.

    Returns:
        A pair of something that offers `in` and `[]`, None on a Bazel without facts, and the names in it: `module_ctx.facts` itself cannot
        be listed.
    """
    if not hasattr(module_ctx, "facts"):
        # Nothing is watched: Bazel would record the digest of the lockfile in that same file.
        return None, []
    lockfile = _workspace_lockfile(module_ctx)
    module_ctx.watch(lockfile)
    text = module_ctx.read(lockfile, watch = "no") if lockfile.exists else ""

    # Without an entry in the file, the facts are those of the hidden lockfile: of whatever commit was built last.
    names = recorded_names(text, isolated = getattr(module_ctx, "is_isolated", False))
    return ({}, []) if names == None else (module_ctx.facts, names)
