"""The rule behind `tf_requirements_test`."""

load(":gather_script.bzl", "read_requirements")
load(":requirements_script.bzl", "unix_requirements_test", "windows_requirements_test")
load(":script_parts.bzl", "runfiles_path")

visibility(["//tf/..."])

def _requirements_test_impl(ctx):
    helper, manifest, mirror_json = ctx.file._helper, ctx.file.manifest, ctx.file.mirror_json
    if mirror_json.owner.package != ctx.label.package or mirror_json.short_path.startswith("../"):
        fail("mirror_json = {} must be of this package, //{}, as requirements are.".format(mirror_json.owner, ctx.label.package))
    gather, problem = read_requirements(ctx.label, ctx.attr.requirements, mirror_json.owner.name)
    if problem:
        fail(problem)

    # The helper is that of the machine that Bazel runs on, and so must its script be.
    windows = helper.extension == "exe"
    script = ctx.actions.declare_file(ctx.label.name + (".bat" if windows else ""))
    text = windows_requirements_test if windows else unix_requirements_test
    ctx.actions.write(
        script,
        text(
            helper = runfiles_path(helper.short_path, ctx.workspace_name),
            manifest = runfiles_path(manifest.short_path, ctx.workspace_name),
            workspace = ctx.workspace_name,
            gather = gather,
            repair = ctx.attr.repair,
        ),
        is_executable = True,
    )
    return [DefaultInfo(
        executable = script,
        files = depset([script]),
        runfiles = ctx.runfiles([helper, manifest, mirror_json] + ctx.files.srcs),
    )]

requirements_test = rule(
    implementation = _requirements_test_impl,
    attrs = {
        "manifest": attr.label(allow_single_file = [".json"], mandatory = True, doc = "The manifest of the hub, which says which tool it is."),
        "mirror_json": attr.label(allow_single_file = [".json"], mandatory = True, doc = "The file to compare with."),
        "repair": attr.string(doc = "The command that writes the file."),
        "requirements": attr.string_list(mandatory = True, doc = "Paths of modules and files to gather from, below the package's directory."),
        "srcs": attr.label_list(allow_files = True, mandatory = True, doc = "Everything that is read."),
        "_helper": attr.label(allow_single_file = True, default = Label("@tfmirror_host//:executable")),
    },
    doc = "Compares a file of gathered requirements with the configurations; see `tf_requirements_test` in //tf:defs.bzl.",
    test = True,
)
