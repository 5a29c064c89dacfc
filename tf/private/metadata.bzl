"""What the extension tells Bazel about its result."""

visibility(["//tf/..."])

def extension_metadata(module_ctx, repos, facts):
    """Metadata of the extension.

    Args:
        module_ctx: the context of the extension.
        repos: names of the repositories that a root module imports.
        facts: facts to record, None on a Bazel without them.

    Returns:
        What the implementation of the extension returns.
    """
    root_uses = any([module.is_root for module in module_ctx.modules])
    non_dev = module_ctx.root_module_has_non_dev_dependency

    # Anything but this is an error, even naming repositories for a root module that does not use the extension.
    kwargs = {
        "root_module_direct_deps": repos if non_dev else [],
        "root_module_direct_dev_deps": repos if root_uses and not non_dev else [],
    }
    if facts == None:
        # Not reproducible: then the lockfile keeps the generated repositories, and with them the selection.
        return module_ctx.extension_metadata(**kwargs)
    return module_ctx.extension_metadata(reproducible = True, facts = facts, **kwargs)
