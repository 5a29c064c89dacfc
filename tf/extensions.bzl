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
* `:manifest.json`: what was asked for and chosen.
"""

load("//tf/private:download_tag.bzl", "download")
load("//tf/private:tf_repositories.bzl", "tf_repositories_impl")

# MODULE.bazel.lock names the extension by this file and this name; lock files of all users depend on both.
tf_repositories = module_extension(
    implementation = tf_repositories_impl,
    doc = "Resolves providers, records the answers as facts in MODULE.bazel.lock, and declares a repository per package.",
    tag_classes = {"download": download},
)
