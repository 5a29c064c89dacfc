"""Asks the helper what no fact answers. The only place in the extension that touches the helper, which may have to be built first."""

load(":dependency_locks.bzl", "read_locks", "shown_label", "with_labels")
load(":installation.bzl", "installation_json")
load(":manifest.bzl", "SCHEMA", "manifest")

visibility(["//tf/..."])

_HELPER = Label("@tfmirror_host//:tfmirror")
_REQUEST = "request.json"
_RESPONSE = "response.json"

# Rate limits and retries are the helper's business; this only ends what hangs.
_TIMEOUT_SECONDS = 3600

def helper_path(ctx):
    """The path of the helper, which is built or fetched by this. `ctx` is a module or repository context."""
    path = ctx.path(_HELPER)

    # Windows wants the name with its extension; looking for the file does not depend on what the host calls itself.
    executable = path.dirname.get_child("tfmirror.exe")
    return executable if executable.exists else path

def _failures_of(provider, entry, labels):
    """What the helper could not answer about one entry."""
    error = provider.get("error")
    return struct(
        entry = entry,
        error = with_labels(error["message"], labels) if error else None,
        packages = {
            platform: with_labels(package["error"]["message"], labels)
            for platform, package in (provider.get("packages") or {}).items()
            if package.get("error")
        },
    )

def read_response(text, entries, labels = {}):
    """Reads a response of `tfmirror resolve`.

    Args:
        text: content of the response.
        entries: the entries that were asked for, in the order of the request.
        labels: names of dependency locks and filesystem mirrors, by path.

    Returns:
        A pair of the response and an error, one of which is None. The response is a struct of `facts`, `failures` (a list, parallel
        to `entries`, of structs of `entry`, `error` and, by platform, `packages`), `locks` (as `read_locks` returns it) and `warnings`.
    """
    response = json.decode(text, default = None)
    if type(response) != "dict" or response.get("schema") != SCHEMA:
        found = response.get("schema") if type(response) == "dict" else None
        return None, "the response of tfmirror has schema {}, wanted {}".format(found, SCHEMA)
    providers = response.get("providers") or []
    if [provider["source"] for provider in providers] != [entry.source for entry in entries]:
        return None, "the response of tfmirror does not answer what was asked"
    return struct(
        facts = response.get("facts") or {},
        failures = [_failures_of(provider, entry, labels) for provider, entry in zip(providers, entries)],
        locks = read_locks(response.get("provider_locks"), labels),
        warnings = [with_labels(warning, labels) for warning in response.get("warnings") or []],
    ), None

def _watched_locks(module_ctx, locks):
    """Labels of dependency locks by path. The files become inputs of the extension, those that do not exist too."""
    labels = {}
    for label in locks:
        path = module_ctx.path(label)
        module_ctx.watch(path)
        labels[str(path)] = shown_label(label)
    return labels

def _mirror_directory(module_ctx, source):
    root = module_ctx.path(source.root)
    return str(root if root.is_dir else root.dirname)

def resolve(module_ctx, config, entries, facts, locks):
    """Runs `tfmirror resolve`.

    Args:
        module_ctx: the context of the extension.
        config: as `read_config` returns it.
        entries: the entries to resolve.
        facts: well-formed `resolve/` and `package/` facts about them.
        locks: labels of dependency locks to be read.

    Returns:
        As `read_response`. Fails only if the helper itself does: what a registry does is in the response.
    """
    request = manifest(config, [(entry, None) for entry in entries])
    request["facts"] = facts
    request.update(installation_json(config.installation, lambda source: _mirror_directory(module_ctx, source)))
    labels = _watched_locks(module_ctx, locks)
    if labels:
        request["provider_locks"] = list(labels)

    # Paths are of one machine: what the extension says and declares has none.
    for source in config.installation.sources:
        if source.kind == "filesystem_mirror":
            labels = labels | {_mirror_directory(module_ctx, source): shown_label(source.root)}
    module_ctx.file(_REQUEST, json.encode_indent(request) + "\n", executable = False)
    module_ctx.report_progress("Resolving {} provider entries".format(len(entries)))
    result = module_ctx.execute(
        [helper_path(module_ctx), "resolve", "--request", _REQUEST, "--response", _RESPONSE],
        timeout = _TIMEOUT_SECONDS,
    )
    if result.return_code != 0:
        return None, "tfmirror resolve failed with exit code {}:\n{}".format(result.return_code, with_labels(result.stderr.strip(), labels))
    return read_response(module_ctx.read(_RESPONSE, watch = "no"), entries, labels)
