"""The rule behind `tf_providers_lock`."""

load(":launcher.bzl", "lock_file_path", "unix_launcher", "windows_launcher")

visibility(["//tf/..."])

# MODULE.bazel.lock names the extension so, apart from the `@@` that Bazel leaves out for the root module; the helper knows both.
_EXTENSION = "{}%tf_repositories".format(Label("//tf:extensions.bzl"))

def runfiles_path(short_path, workspace_name):
    """The path of a file below the root of the runfiles.

    Args:
        short_path: the file's `short_path`, which leads out of the main repository with `../`.
        workspace_name: `ctx.workspace_name`, the main repository's directory.

    Returns:
        Text.
    """
    return short_path.removeprefix("../") if short_path.startswith("../") else "{}/{}".format(workspace_name, short_path)

def _providers_lock_impl(ctx):
    lock_file, problem = lock_file_path(ctx.label.package, ctx.attr.lock_file)
    if problem:
        fail(problem)
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
        "manifest": attr.label(
            allow_single_file = [".json"],
            mandatory = True,
            doc = "The resolved manifest of the hub. No package is behind it.",
        ),
        "_helper": attr.label(allow_single_file = True, default = Label("@tfmirror_host//:executable")),
    },
    doc = "Verifies the providers of a manifest; see `tf_providers_lock` in //tf:defs.bzl.",
    executable = True,
)
