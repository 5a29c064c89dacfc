"""Rules that generated repositories use: a package, a mirror of one platform, and a copy of it in one folder."""

load(":providers.bzl", "TfMirrorInfo", "TfPackageInfo")

visibility("public")  # loaded by generated repositories

def _tf_package_impl(ctx):
    directory = ctx.file.directory
    files = depset([directory], transitive = [ctx.attr.files[DefaultInfo].files])
    return [
        DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files)),
        TfPackageInfo(
            directory = directory,
            files = files,
            host = ctx.attr.host,
            namespace = ctx.attr.namespace,
            platform = ctx.attr.platform,
            type = ctx.attr.type,
            version = ctx.attr.version,
        ),
    ]

tf_package = rule(
    implementation = _tf_package_impl,
    attrs = {
        "directory": attr.label(allow_single_file = True, mandatory = True, doc = "The source directory with the package."),
        "files": attr.label(
            mandatory = True,
            doc = "The directory together with a file that changes with the package: of a source directory Bazel sees no more than its name.",
        ),
        "host": attr.string(mandatory = True),
        "namespace": attr.string(mandatory = True),
        "platform": attr.string(mandatory = True),
        "type": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
    },
    doc = "One unpacked package.",
    provides = [TfPackageInfo],
)

def _tf_mirror_impl(ctx):
    if ctx.attr.missing:
        fail("\n".join(ctx.attr.missing))
    packages = [package[TfPackageInfo] for package in ctx.attr.packages]
    files = depset(transitive = [package.files for package in packages])
    return [
        DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files)),
        TfMirrorInfo(packages = packages, platform = ctx.attr.platform),
    ]

tf_mirror = rule(
    implementation = _tf_mirror_impl,
    attrs = {
        "missing": attr.string_list(doc = "Errors: why this mirror cannot be had. Such a target depends on no package."),
        "packages": attr.label_list(providers = [TfPackageInfo], doc = "Packages of the platform."),
        "platform": attr.string(mandatory = True),
    },
    doc = "All packages of one platform. Its files are one directory per package, each for a `-plugin-dir` of its own.",
    provides = [TfMirrorInfo],
)

# Links are followed: in a sandbox the directories are links. The copy must be writable while it is made.
_COPY = """set -eu
out=$1
shift
for directory in "$@"; do
  cp -R -L "$directory"/. "$out"/
  chmod -R u+w "$out"
done
"""

def _tf_mirror_tree_impl(ctx):
    tree = ctx.actions.declare_directory(ctx.label.name)
    mirror = ctx.attr.mirror[TfMirrorInfo]
    ctx.actions.run_shell(
        arguments = [tree.path] + [package.directory.path for package in mirror.packages],
        command = _COPY,
        inputs = depset(transitive = [package.files for package in mirror.packages]),
        mnemonic = "TfMirrorTree",
        outputs = [tree],
        progress_message = "Copying the provider mirror of " + mirror.platform,
    )
    return [DefaultInfo(files = depset([tree]), runfiles = ctx.runfiles([tree]))]

tf_mirror_tree = rule(
    implementation = _tf_mirror_tree_impl,
    attrs = {"mirror": attr.label(mandatory = True, providers = [TfMirrorInfo])},
    doc = "A copy of a mirror in one folder, for those who need one. It takes the disk space of all packages once more.",
)
