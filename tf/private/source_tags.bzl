"""The tag classes `source` and `host`."""

visibility(["//tf/..."])

# One class for all kinds of sources, since Bazel keeps the order of tags within a class only.
source = tag_class(
    attrs = {
        "direct": attr.bool(doc = "The providers' own registries."),
        "exclude": attr.string_list(
            doc = "Patterns of providers that this source is not asked for, such as `registry.acme.dev/*/*`. They win over `include`.",
        ),
        "filesystem_mirror": attr.label(
            allow_single_file = True,
            doc = """A directory of this workspace, or a file directly in it such as its BUILD file: a filesystem mirror with packages as zip
files, as `terraform providers mirror` writes it. What is there unpacked cannot be recorded, and is an error.""",
        ),
        "include": attr.string_list(
            doc = "Patterns of providers that this source is asked for, such as `hashicorp/*`; by default all.",
        ),
        "network_mirror": attr.string(doc = "Base URL of a network mirror, with https."),
        "oci_mirror": attr.string(
            doc = """Template for addresses of OCI repositories, such as `registry.example.com/${hostname}/${namespace}/${type}`; with
`use_tofu` only.""",
        ),
    },
    doc = """A place to take providers from; exactly one of `direct`, `network_mirror`, `filesystem_mirror` and `oci_mirror`. Sources are
asked in the order of their tags, as the methods of `provider_installation` are. With a source that is not `direct` for a provider, its own
registry is not asked, unless a `direct` source names it too. Root module only.""",
)

host = tag_class(
    attrs = {
        "host": attr.string(mandatory = True, doc = "The host as sources name it, such as `registry.acme.dev`."),
        "providers": attr.string(
            mandatory = True,
            doc = """Base URL of its provider registry, in place of what the host itself tells. Credentials for the host are sent there only
if it is on that host.""",
        ),
    },
    doc = "What a host offers, as a `host` block of a CLI configuration says it; this wins over such a block. Root module only.",
)
