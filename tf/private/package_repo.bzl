"""The repository of one package: downloaded by Bazel when something needs it, never before."""

load("@bazel_tools//tools/build_defs/repo:utils.bzl", "get_auth")
load(":ephemeral.bzl", "download_ephemeral")
load(":fact_keys.bzl", "package_key")
load(":mirrored.bzl", "download_mirrored")
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
* 403, 404, or an unknown host: the address may be dead. `bazel run //:providers_lock -- --upgrade={source}` (a tf_providers_lock target)
  asks for the present one and records it.
* 401 or 403: if the address asks for credentials, Bazel takes them from ~/.netrc or --credential_helper.
* A certificate that is not trusted (PKIX, "unable to find valid certification path"): Bazel takes authorities from Java's trust store, not
  from SSL_CERT_FILE: `startup --host_jvm_args=-Djavax.net.ssl.trustStore=/path/to/truststore.p12` in .bazelrc names one that holds yours.
* Without a network, the package must be in the repository cache: build once online with the same --repository_cache, or fill it with
  `tfmirror fetch`.
* Another checksum: the publisher has replaced the file. Find out why; to accept it, remove the fact "{fact}" from MODULE.bazel.lock."""

def package_directory(attr):
    """The directory of a package in its repository, as the tools want it below a filesystem mirror's root."""
    return "/".join(["mirror", attr.host, attr.namespace, attr.type, attr.version, attr.platform])

def _title(attr):
    return "provider {}/{}/{} {} for {}".format(attr.host, attr.namespace, attr.type, attr.version, attr.platform)

def _download(repository_ctx):
    """Gets the archive; None or an error text."""
    attr = repository_ctx.attr
    if attr.ephemeral or attr.mirror:
        download = download_ephemeral if attr.ephemeral else download_mirrored
        problem = download(repository_ctx, _ARCHIVE)
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
    source = "/".join([attr.host, attr.namespace, attr.type])
    return _NOT_DOWNLOADED.format(
        fact = package_key(source, attr.version, attr.platform),
        source = source,
        title = _title(attr),
        url = attr.url,
    )

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
        "mirror": attr.string(doc = "Of a package in a filesystem mirror: its path below the mirror's root. There is no `url` then."),
        "mirror_files": attr.string_list(doc = "Where that file may be, below the workspace."),
        "namespace": attr.string(mandatory = True),
        "platform": attr.string(mandatory = True),
        "refuse": attr.string(
            doc = """Why the package must not be fetched, empty if it may be. Nothing else here says how it was verified: then verifying
it would fetch it again.""",
        ),
        "request": attr.string(doc = "Of an ephemeral package: what a request says besides it, as `request_settings` returns it."),
        "sha256": attr.string(doc = "Of the archive, in lower-case hex."),
        "type": attr.string(mandatory = True),
        "url": attr.string(doc = "Where the archive is."),
        "version": attr.string(mandatory = True),
    },
    doc = "One package, unpacked below `mirror/<host>/<namespace>/<type>/<version>/<platform>`.",
)
