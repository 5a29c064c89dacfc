"""The tag class `download`."""

visibility(["//tf/..."])

download = tag_class(
    attrs = {
        "allow_changed": attr.string_list(
            doc = """Releases, as `namespace/type:1.2.3`, whose content may differ from what is recorded: for one run of the lock target, after
the publisher has said why. Remove it then. Root module only.""",
        ),
        "allow_checksum": attr.string_list(
            doc = "Sources for which a mirror's word is enough under `provider_locks_strict`. Root module only.",
        ),
        "allow_sha1": attr.string_list(
            doc = "Sources whose signatures may be made with SHA-1. Root module only.",
        ),
        "allow_unsigned": attr.string_list(
            doc = "Sources that may be without signature. Their hashes are recorded as the registry says them. Root module only.",
        ),
        "expired_keys": attr.string(
            doc = """What to do with a good signature by a key that has expired: `accept` (the default; the lock target warns), `signed-before`
(only signatures that claim to be older than the expiry) or `refuse`. Root module only.""",
        ),
        "installation": attr.string(
            doc = """Whether `provider_installation` of the CLI configuration of whoever builds decides where providers are taken from (`config`)
or not (`direct`, the default). `tf.source` names sources that are the same for everybody. Root module only.""",
        ),
        "mirror": attr.string_list(
            doc = """Providers to stock, each as `[host/]namespace/type:constraint`, or without `:constraint` for the newest release.
The same source may be listed with several constraints and versions. Any module may add entries.""",
        ),
        "mirror_json": attr.label(
            allow_single_file = [".json"],
            doc = """A file with a JSON array of strings like those of `mirror`, and of objects with such a string as `entry` and who wants it as
`wanted_by`, as the lock target gathers them from configurations (`requirements` of `tf_providers_lock`); exclusive with `mirror`.""",
        ),
        "optional_platforms": attr.string_list(
            doc = """Platforms that a provider may lack: then its package is left out of that platform's mirror with a warning, instead of
failing it. One that is not in `platforms` is added. Root module only.""",
        ),
        "platforms": attr.string_list(
            doc = """Platforms to resolve, as `<os>_<arch>`. By default Linux and macOS on amd64 and arm64, and `windows_amd64`.
They are the same on every machine, so that MODULE.bazel.lock is. Root module only.""",
        ),
        "provider_locks": attr.label_list(
            allow_files = True,
            doc = """Dependency locks (`.terraform.lock.hcl`): their `zh:` hashes decide for versions that have no `verified/` fact, which the lock
target records. They do not say which hash is of which platform. Root module only.""",
        ),
        "provider_locks_strict": attr.bool(
            doc = """Whether packages that are not verified refuse to be fetched; by default there is a warning. The lock target runs all the
same. Root module only.""",
        ),
        "signers": attr.string_list_dict(
            doc = """Full fingerprints of the keys that may sign, by source (`acme/widget`, `registry.acme.dev/acme/widget`) or by host and namespace
(`registry.acme.dev/acme`). Without it, the signers are those of the first run of the lock target; HashiCorp's and OpenTofu's own
namespaces have built-in signers, to which this adds. Root module only.""",
        ),
        "tfdoc_version": attr.string(doc = "Accepted for compatibility with rules_tf, and ignored."),
        "tflint_version": attr.string(doc = "Accepted for compatibility with rules_tf, and ignored."),
        "use_tofu": attr.bool(
            doc = """Whether the tool is OpenTofu: a source without host then is one of registry.opentofu.org. Root module only.""",
        ),
        "version": attr.string(
            doc = """Exact version of terraform, or of tofu with `use_tofu`, such as `1.9.5`. Root module only.""",
        ),
    },
    doc = "Providers to stock, and, in the root module, for which tool and which platforms.",
)
