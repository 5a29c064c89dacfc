"""The implementation of the extension: read, ask, declare. What it decides is decided by pure functions in files of their own."""

load(":answers.bzl", "read_answers", "well_formed_facts")
load(":config.bzl", "read_config")
load(":error_repo.bzl", "error_repo")
load(":fact_keys.bzl", "verified_key")
load(":hub_repo.bzl", "hub_repo")
load(":lockfile.bzl", "recorded_facts")
load(":metadata.bzl", "extension_metadata")
load(":package_repo.bzl", "package_repo")
load(":plan.bzl", "make_plan")
load(":policy.bzl", "stale_permissions")
load(":resolver.bzl", "resolve")
load(":verification.bzl", "verify")

visibility(["//tf/..."])

HUB = "tf_toolchains"

_NOTHING_KEPT = """{}

No lockfile keeps this failure, but this Bazel server remembers it until `bazel shutdown`: run that before you try again."""

def _locks_to_read(config, answers, recorded):
    """The dependency locks, if there is a version that they decide about: one without a verified fact."""
    for answer in answers:
        if not answer.defect and not (answer.version and verified_key(answer.entry.source, answer.version) in recorded):
            return config.policy.provider_locks
    return []

def _ask(module_ctx, config, answers, recorded):
    """Completes answers by asking the helper, if anything is left to ask.

    Returns:
        A struct of `answers`, `layers` (the facts they rest on), `failures` (by index of the entry), `locks` (what dependency locks
        say, None if they were not read) and `warnings`.
    """
    open = [index for index, answer in enumerate(answers) if answer.open]
    locks = _locks_to_read(config, answers, recorded)
    if not open and not locks:
        return struct(answers = answers, layers = [recorded], failures = {}, locks = None, warnings = [])
    known = {}
    for index in open:
        known.update(well_formed_facts(answers[index], [recorded]))
    response, problem = resolve(module_ctx, config, [answers[index].entry for index in open], known, locks)
    if problem:
        fail(problem)
    layers = [recorded, response.facts]
    return struct(
        answers = [read_answers(answer.entry, config.platforms, layers) for answer in answers],
        layers = layers,
        failures = {index: failure for index, failure in zip(open, response.failures)},
        locks = response.locks,
        warnings = response.warnings,
    )

def tf_repositories_impl(module_ctx):
    """Declares a repository per package and the hub.

    Args:
        module_ctx: the context of the extension.

    Returns:
        The metadata of the extension.
    """
    config, problem = read_config(
        module_ctx.modules,
        read_json = lambda label: module_ctx.read(label, watch = "yes") if module_ctx.path(label).exists else None,
        is_directory = lambda label: module_ctx.path(label).is_dir,
    )
    if problem:
        fail(problem)
    recorded, names = recorded_facts(module_ctx)
    layer = recorded if recorded != None else {}
    asked = _ask(module_ctx, config, [read_answers(entry, config.platforms, [layer]) for entry in config.entries], layer)
    verification = verify(config, asked.answers, recorded, asked.locks)
    plan = make_plan(config, asked.answers, asked.failures, asked.layers, verification.refusals, names)

    if recorded == None and plan.failed:
        # The generated repositories are all that such a Bazel records, and it would not evaluate again while they are.
        fail(_NOTHING_KEPT.format("\n\n".join(plan.failed)))

    # What failed is said at once too: a command that needs none of it would otherwise not say why the lockfile has no answer.
    warnings = plan.warnings + stale_permissions(config.policy, asked.answers) + asked.warnings + verification.warnings
    for warning in warnings + plan.failed:
        print("WARNING: " + warning)  # buildifier: disable=print
    for attrs in plan.packages:
        package_repo(**attrs)
    for attrs in plan.errors:
        error_repo(**attrs)
    hub_repo(name = HUB, description = json.encode(plan.hub))
    return extension_metadata(module_ctx, [HUB], plan.facts if recorded != None else None)
