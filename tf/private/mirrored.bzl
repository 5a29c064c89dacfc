"""Packages that are files of a filesystem mirror in the workspace. What is recorded is their path below the mirror's root and their hash."""

load(":file_urls.bzl", "file_url")

visibility(["//tf/..."])

_NOT_FOUND = """its file is recorded as {path} below the root of a filesystem mirror, and {found}.
Put the file back, or run `bazel run //:providers_lock -- --upgrade={source}` (a tf_providers_lock target) to take it from the sources that
MODULE.bazel names now."""

def download_mirrored(repository_ctx, output):
    """Gets a package out of the workspace, or from a cache.

    Args:
        repository_ctx: the context of the package's repository.
        output: name of the file to write.

    Returns:
        None, or an error text.
    """
    attr = repository_ctx.attr
    workspace = repository_ctx.workspace_root
    files = [workspace.get_child(*file.split("/")) for file in attr.mirror_files]

    # Not watched: the hash decides what the content is, wherever it comes from.
    found = [file for file in files if file.exists]
    urls = [file_url(file) for file in found]
    if repository_ctx.download(url = urls, output = output, sha256 = attr.sha256, allow_fail = True).success:
        return None
    if not files:
        reason = "no tf.source(filesystem_mirror = …) is there to have it"
    elif not found:
        reason = "there is no " + " and no ".join(attr.mirror_files)
    else:
        reason = "{} is another file than the one that was recorded, which has sha256 {}".format(
            " and ".join([name for name, file in zip(attr.mirror_files, files) if file.exists]),
            attr.sha256,
        )
    return _NOT_FOUND.format(
        found = reason,
        path = attr.mirror,
        source = "/".join([attr.host, attr.namespace, attr.type]),
    )
