"""JSON objects that the helper reads: the request of `tfmirror resolve` and the manifest."""

load(":dependency_locks.bzl", "workspace_path")
load(":installation.bzl", "installation_json")
load(":policy.bzl", "policy_json")

visibility(["//tf/..."])

SCHEMA = 1

def _provider(entry, selected, with_wishes = False):
    provider = {"source": entry.source}
    if entry.constraint != None:
        provider["version"] = entry.constraint
    if selected:
        provider["selected"] = selected
    if with_wishes and entry.wanted_by:
        provider["wanted_by"] = entry.wanted_by
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

def hub_manifest(config, selections):
    """What the configuration asks for, where from, and what it says about trust: the manifest of the lock command.

    Args:
        config: as `read_config` returns it.
        selections: as for `manifest`.

    Returns:
        A dict to be encoded as JSON.
    """
    result = manifest(config, selections) | installation_json(config.installation) | {
        "providers": [_provider(entry, selected, with_wishes = True) for entry, selected in selections],
    }
    policy = policy_json(config.policy)
    if policy:
        result["policy"] = policy

    # Relative to the folder of MODULE.bazel.lock. Of a file of another repository there is no such path.
    paths = [workspace_path(label) for label in config.policy.provider_locks]
    paths = [path for path in paths if path]
    if paths:
        result["provider_locks"] = paths
    return result
