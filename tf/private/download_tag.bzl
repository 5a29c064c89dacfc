"""The tag class `download`."""

visibility(["//tf/..."])

download = tag_class(
    attrs = {
        "mirror": attr.string_list(
            doc = """Providers to stock, each as `[host/]namespace/type:constraint`, or without `:constraint` for the newest release.
The same source may be listed with several constraints and versions. Any module may add entries.""",
        ),
        "mirror_json": attr.label(
            allow_single_file = [".json"],
            doc = "A file with a JSON array of strings like those of `mirror`; exclusive with `mirror`.",
        ),
        "optional_platforms": attr.string_list(
            doc = """Platforms that a provider may lack: then its package is left out of that platform's mirror with a warning, instead of
failing it. One that is not in `platforms` is added. Root module only.""",
        ),
        "platforms": attr.string_list(
            doc = """Platforms to resolve, as `<os>_<arch>`. By default Linux and macOS on amd64 and arm64, and `windows_amd64`.
They are the same on every machine, so that MODULE.bazel.lock is. Root module only.""",
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
