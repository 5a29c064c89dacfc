"""The rule behind `tf_providers_lock`."""

load(":exact_version.bzl", "canonical_version")
load(":gather_script.bzl", "read_requirements")
load(":launcher.bzl", "unix_launcher", "windows_launcher")
load(":script_parts.bzl", "path_below_package", "runfiles_path")

visibility(["//tf/..."])

# MODULE.bazel.lock names the extension so, apart from the `@@` that Bazel leaves out for the root module; the helper knows both.
_EXTENSION = "{}%tf_repositories".format(Label("//tf:extensions.bzl"))

def _providers_lock_impl(ctx):
    lock_file, problem = "", None
    if ctx.attr.lock_file:
        lock_file, problem = path_below_package("lock_file", ctx.label.package, ctx.attr.lock_file, example = "providers.terraform.lock.hcl")
    gather, gather_problem = read_requirements(ctx.label, ctx.attr.requirements, ctx.attr.mirror_json)
    if ctx.attr.lock_file_versions and not ctx.attr.lock_file:
        problem = "lock_file_versions chooses versions for a dependency lock; name the file with lock_file."
    for source, version in ctx.attr.lock_file_versions.items():
        if not canonical_version(version):
            problem = 'lock_file_versions: "{}" of {} is no exact version; write one such as "3.1.3".'.format(version, source)
    if problem or gather_problem:
        fail(problem or gather_problem)
    helper, manifest = ctx.file._helper, ctx.file.manifest

    # The helper is that of the machine that Bazel runs on, whatever the target platform is, and so must its launcher be.
    windows = helper.extension == "exe"
    launcher = ctx.actions.declare_file(ctx.label.name + (".bat" if windows else ""))
    text = windows_launcher if windows else unix_launcher
    ctx.actions.write(
        launcher,
        text(
            helper = runfiles_path(helper.short_path, ctx.workspace_name),
            manifest = runfiles_path(manifest.short_path, ctx.workspace_name),
            extension = _EXTENSION,
            lock_file = lock_file,
            gather = gather,
            lock_file_versions = ctx.attr.lock_file_versions,
        ),
        is_executable = True,
    )
    return [DefaultInfo(
        executable = launcher,
        files = depset([launcher]),
        runfiles = ctx.runfiles([helper, manifest]),
    )]

providers_lock = rule(
    implementation = _providers_lock_impl,
    attrs = {
        "lock_file": attr.string(doc = "Path of a dependency lock to write, below the package's directory."),
        "lock_file_versions": attr.string_dict(doc = "Which version of a source with several versions goes into the dependency lock."),
        "manifest": attr.label(
            allow_single_file = [".json"],
            mandatory = True,
            doc = "The resolved manifest of the hub. No package is behind it.",
        ),
        "mirror_json": attr.string(doc = "Path of the file to gather into, below the package's directory."),
        "requirements": attr.string_list(doc = "Paths of modules and files to gather from, below the package's directory."),
        "_helper": attr.label(allow_single_file = True, default = Label("@tfmirror_host//:executable")),
    },
    doc = "Verifies the providers of a manifest; see `tf_providers_lock` in //tf:defs.bzl.",
    executable = True,
)
