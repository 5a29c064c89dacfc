"""Packages whose recorded address is no lasting one.

Such an address is a capability: it expires, works once, or carries a secret. What was recorded of it is never requested. The helper asks
the registry for a fresh one and fetches the package itself, since Bazel would show the address in warnings and in the build events.
"""

load(":fact_keys.bzl", "package_key")
load(":file_urls.bzl", "file_url")
load(":installation.bzl", "installation_json")
load(":manifest.bzl", "SCHEMA")
load(":resolver.bzl", "helper_path")

visibility(["//tf/..."])

_REQUEST = "fetch.json"
_CACHE = "fetched"

def request_settings(config):
    """What a request says besides the package: who asks, and where.

    Args:
        config: as `read_config` returns it.

    Returns:
        JSON, with paths below the workspace: it is an attribute of repositories, which know nothing of this machine.
    """
    tool = {"tool": config.tool}
    if config.tool_version:
        tool["tool_version"] = config.tool_version  # registries may answer by it
    return json.encode(tool | installation_json(config.installation))

def _absolute(settings, workspace):
    if "sources" not in settings:
        return settings
    return settings | {"sources": [
        source | {"path": "{}/{}".format(workspace, source["path"])} if "path" in source else source
        for source in settings["sources"]
    ]}

def fetch_request(attr, workspace):
    """The request for `tfmirror fetch`.

    Args:
        attr: attributes of the package's repository.
        workspace: the root of the workspace.

    Returns:
        A dict to be encoded as JSON.
    """
    source = "/".join([attr.host, attr.namespace, attr.type])
    return _absolute(json.decode(attr.request), workspace) | {
        "facts": {
            package_key(source, attr.version, attr.platform): {
                "download_url": attr.url,
                "ephemeral": True,
                "filename": attr.filename,
                "sha256": attr.sha256,
            },
        },
        "platforms": [attr.platform],
        "providers": [{"selected": attr.version, "source": source, "version": attr.version}],
        "schema": SCHEMA,
    }

def download_ephemeral(repository_ctx, output):
    """Gets a package from a cache, or through the helper.

    Args:
        repository_ctx: the context of the package's repository.
        output: name of the file to write.

    Returns:
        None, or an error text.
    """
    sha256 = repository_ctx.attr.sha256
    if repository_ctx.download(url = [], output = output, sha256 = sha256, allow_fail = True).success:
        return None
    repository_ctx.file(_REQUEST, json.encode(fetch_request(repository_ctx.attr, repository_ctx.workspace_root)), executable = False)
    result = repository_ctx.execute(
        [helper_path(repository_ctx), "fetch", "--request", _REQUEST, "--repository_cache", _CACHE],
        timeout = 3600,
    )
    repository_ctx.delete(_REQUEST)
    if result.return_code != 0:
        return "tfmirror fetch failed with exit code {}:\n{}".format(result.return_code, result.stderr.strip())

    # Through the downloader once more, so that the repository cache has it.
    fetched = repository_ctx.path("{}/content_addressable/sha256/{}/file".format(_CACHE, sha256))
    repository_ctx.download(url = file_url(fetched), output = output, sha256 = sha256)
    repository_ctx.delete(_CACHE)
    return None
