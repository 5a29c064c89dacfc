"""The repository of one package: downloaded by Bazel when something needs it, never before."""

load("@bazel_tools//tools/build_defs/repo:utils.bzl", "get_auth")
load(":ephemeral.bzl", "download_ephemeral")
load(":unpack.bzl", "unpack")

visibility(["//tf/..."])

_ARCHIVE = "package.zip"
_RULES = Label("//tf/private:mirror.bzl")

# Part of package.json, by which actions notice another content of the directory. Raised when the layout below changes.
_LAYOUT_REVISION = 1

_BUILD = """load("{rules}", "tf_package")

package(default_visibility = ["//visibility:public"])

exports_files(["mirror", "package.json"])

# Never a glob: a host with a port is no label, and a BUILD file in the package would cut it.
filegroup(
    name = "files",
    srcs = ["mirror", "package.json"],
)

tf_package(
    name = "package",
    directory = "mirror",
    files = ":files",
    host = {host},
    namespace = {namespace},
    platform = {platform},
    type = {type},
    version = {version},
)
"""

_NOT_DOWNLOADED = """cannot download {title} from {url} (the warning above says why).
Without a network, the package must be in the repository cache: build once online with the same --repository_cache, or fill it with
`tfmirror fetch`. With a network, check the address with `curl -I {url}`. If it asks for credentials, Bazel takes them from ~/.netrc or
--credential_helper. If the publisher has replaced the file, remove the fact "{fact}" from MODULE.bazel.lock and rerun."""

def package_directory(attr):
    """The directory of a package in its repository, as the tools want it below a filesystem mirror's root."""
    return "/".join(["mirror", attr.host, attr.namespace, attr.type, attr.version, attr.platform])

def _title(attr):
    return "provider {}/{}/{} {} for {}".format(attr.host, attr.namespace, attr.type, attr.version, attr.platform)

def _download(repository_ctx):
    """Gets the archive; None or an error text."""
    attr = repository_ctx.attr
    if attr.ephemeral:
        problem = download_ephemeral(repository_ctx, _ARCHIVE)
        return "cannot download {}: {}".format(_title(attr), problem) if problem else None

    # No canonical id: the hash says it all, and with an id another URL of the same package would miss the cache.
    result = repository_ctx.download(
        url = [attr.url],
        output = _ARCHIVE,
        sha256 = attr.sha256,
        allow_fail = True,
        auth = get_auth(repository_ctx, [attr.url]),
    )
    if result.success:
        return None
    fact = "package/{}/{}/{}/{}/{}".format(attr.host, attr.namespace, attr.type, attr.version, attr.platform)
    return _NOT_DOWNLOADED.format(fact = fact, title = _title(attr), url = attr.url)

def _package_repo_impl(repository_ctx):
    attr = repository_ctx.attr
    problem = attr.error or attr.refuse or _download(repository_ctx)
    if problem:
        fail(problem)
    problem = unpack(repository_ctx, _ARCHIVE, package_directory(attr), attr.type)
    if problem:
        fail("{}: {}".format(_title(attr), problem))
    repository_ctx.file(
        "package.json",
        json.encode({"layout": _LAYOUT_REVISION, "sha256": attr.sha256}) + "\n",
        executable = False,
    )
    repository_ctx.file("BUILD.bazel", _BUILD.format(
        host = repr(attr.host),
        namespace = repr(attr.namespace),
        platform = repr(attr.platform),
        rules = _RULES,
        type = repr(attr.type),
        version = repr(attr.version),
    ), executable = False)
    return repository_ctx.repo_metadata(reproducible = True) if hasattr(repository_ctx, "repo_metadata") else None

package_repo = repository_rule(
    implementation = _package_repo_impl,
    # Only what the content depends on: a change of anything here fetches the package again.
    attrs = {
        "ephemeral": attr.bool(doc = "Whether `url` must not be requested; see ephemeral.bzl."),
        "error": attr.string(doc = "Why there is no package, in which case the fetch fails with it."),
        "filename": attr.string(doc = "The registry's name of the archive."),
        "host": attr.string(mandatory = True),
        "namespace": attr.string(mandatory = True),
        "platform": attr.string(mandatory = True),
        "refuse": attr.string(
            doc = """Why the package must not be fetched, empty if it may be. Nothing else here says how it was verified: then verifying
it would fetch it again.""",
        ),
        "sha256": attr.string(doc = "Of the archive, in lower-case hex."),
        "type": attr.string(mandatory = True),
        "url": attr.string(doc = "Where the archive is."),
        "version": attr.string(mandatory = True),
    },
    doc = "One package, unpacked below `mirror/<host>/<namespace>/<type>/<version>/<platform>`.",
)
