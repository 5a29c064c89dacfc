"""The hub: the one repository that users name. It holds labels of packages, and so fetches none."""

load(":hub_build.bzl", "hub_build")

visibility(["//tf/..."])

_RULES = Label("//tf/private:mirror.bzl")

def _hub_repo_impl(repository_ctx):
    description = json.decode(repository_ctx.attr.description)
    repository_ctx.file("manifest.json", json.encode_indent(description["manifest"], indent = "  ") + "\n", executable = False)
    repository_ctx.file("BUILD.bazel", hub_build(description, str(_RULES)), executable = False)
    return repository_ctx.repo_metadata(reproducible = True) if hasattr(repository_ctx, "repo_metadata") else None

hub_repo = repository_rule(
    implementation = _hub_repo_impl,
    attrs = {"description": attr.string(mandatory = True, doc = "What to show, as JSON; see `make_plan`.")},
    doc = "Targets for mirrors and packages, and the resolved manifest.",
)
