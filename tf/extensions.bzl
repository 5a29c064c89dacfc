"""The module extension of rules_tf_mirror.

    tf = use_extension("@rules_tf_mirror//tf:extensions.bzl", "tf_repositories")
    tf.download(
        version = "1.9.5",
        mirror = [
            "hashicorp/random:~> 3.1.0",
            "registry.acme.dev/acme/widget:1.4.0",
        ],
    )
    use_repo(tf, "tf_toolchains")
    register_toolchains("@tf_toolchains//:all")

Targets of the hub `@tf_toolchains`:

* `:mirror`: the providers of the target platform, unpacked; one directory per package, each for a `-plugin-dir` of its own.
* `:mirror_<os>_<arch>`: the same for a platform by name.
* `:<host>/<namespace>/<type>/<version>` and `:<host>/<namespace>/<type>/<version>/<os>_<arch>`: one package. A port is written with `_`.
* `:mirror_tree`: a copy of `:mirror` in one folder.
* `:manifest.json`: what was asked for and chosen, and what the root module says about trust: the input of `tf_providers_lock`.

# What is verified

The hash of every package is recorded when it is resolved, on the registry's word. `bazel run` of a `tf_providers_lock` target (//tf:defs.bzl)
verifies the publisher's signature and records what it signs as `verified/` facts in MODULE.bazel.lock. Each evaluation holds the packages
against them. A package whose hash is not the verified one of its platform, or whose fact names a signer that may not sign, refuses to be
fetched; other packages and the lock target work. Versions without such a fact are named in a warning, or refuse to be fetched with
`provider_locks_strict = True`. For them, and only for them, `provider_locks` names dependency locks whose hashes count instead.

    tf.download(
        mirror = ["acme/widget:1.4.0", "registry.acme.dev/acme/gadget:2.0.0"],
        provider_locks_strict = True,
        signers = {"registry.acme.dev/acme": ["0123456789ABCDEF0123456789ABCDEF01234567"]},
        allow_unsigned = ["acme/widget"],
        expired_keys = "signed-before",
    )

These attributes are the root module's alone. An exception for a provider that no entry of `mirror` names is an error, so that none is left
behind; `signers` of a whole namespace may be ahead of its providers.

# Where providers come from

By default from their own registries, which the helper asks with the credentials, `host` blocks and credentials helper of the CLI
configuration. Tags name other sources, asked in their order:

    tf.source(network_mirror = "https://mirror.acme.dev/providers/", include = ["hashicorp/*"])
    tf.source(filesystem_mirror = "//third_party/providers:BUILD.bazel")
    tf.source(direct = True, exclude = ["hashicorp/*"])
    tf.host(host = "registry.acme.dev", providers = "https://registry.acme.dev/api/v1/providers/")

With `installation = "config"` the CLI configuration's `provider_installation` decides instead. All this is for questions that no fact
answers: what is recorded stays, until `bazel run //:providers_lock -- --upgrade` asks again.

# What is recorded

Facts in MODULE.bazel.lock, one for each answer: `resolve/` (the version chosen for a constraint), `package/` (address and hash of a
package), `verified/` and `signer/` (written by the lock target, kept here), and `retry/` where an answer is missing. A Bazel without
facts (before 8.5) records the generated repositories instead; a failed entry then fails the whole extension, and only `provider_locks`
verifies.
"""

load("//tf/private:download_tag.bzl", "download")
load("//tf/private:source_tags.bzl", "host", "source")
load("//tf/private:tf_repositories.bzl", "tf_repositories_impl")

# MODULE.bazel.lock names the extension by this file and this name; lock files of all users depend on both.
tf_repositories = module_extension(
    implementation = tf_repositories_impl,
    doc = "Resolves providers, records the answers as facts in MODULE.bazel.lock, and declares a repository per package.",
    tag_classes = {"download": download, "host": host, "source": source},
)
