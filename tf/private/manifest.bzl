"""JSON objects that the helper reads: the request of `tfmirror resolve` and the manifest."""

visibility(["//tf/..."])

SCHEMA = 1

def _provider(entry, selected):
    provider = {"source": entry.source}
    if entry.constraint != None:
        provider["version"] = entry.constraint
    if selected:
        provider["selected"] = selected
    return provider

def manifest(config, selections):
    """What the configuration asks for.

    Args:
        config: as `read_config` returns it.
        selections: a list of pairs of an entry and the version chosen for it, None if unknown.

    Returns:
        A dict to be encoded as JSON.
    """
    result = {
        "platforms": config.platforms,
        "providers": [_provider(entry, selected) for entry, selected in selections],
        "schema": SCHEMA,
        "tool": config.tool,
    }
    if config.tool_version:
        result["tool_version"] = config.tool_version
    return result
