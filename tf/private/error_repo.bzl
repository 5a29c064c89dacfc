"""The repository of an entry whose version is unknown: its fetch fails and says why."""

visibility(["//tf/..."])

def _error_repo_impl(repository_ctx):
    fail(repository_ctx.attr.error)

error_repo = repository_rule(
    implementation = _error_repo_impl,
    attrs = {"error": attr.string(mandatory = True, doc = "What went wrong, and what repairs it.")},
    doc = "Fails when fetched, so that one failed entry does not spoil what does not use it.",
)
