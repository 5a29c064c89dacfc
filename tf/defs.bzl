"""Rules for BUILD files.

    load("@rules_tf_mirror//tf:defs.bzl", "tf_providers_lock")

    tf_providers_lock(name = "providers_lock")
"""

load("//tf/private:providers_lock.bzl", "providers_lock")

def tf_providers_lock(name, lock_file = None, manifest = "@tf_toolchains//:manifest.json", tags = [], **kwargs):
    """Verifies signatures of providers, and records what they sign.

    `bazel run` of this target asks the registries for the signed checksums of every provider version of the manifest, verifies them, and
    writes them as `verified/` facts into MODULE.bazel.lock; the next command holds every package against them. Arguments after `--` go to
    `tfmirror lock`:

        bazel run //:providers_lock                          # verify and record; after every change of the manifest
        bazel run //:providers_lock -- --check               # exit code 1 if the records are not what verification gives now: for CI
        bazel run //:providers_lock -- --check --offline     # only whether records and manifest agree with each other
        bazel run //:providers_lock -- --upgrade             # choose anew within the constraints, verify and record

    The target depends on no package, so it downloads none, and it runs whatever packages refuse to be fetched. It is tagged `manual`: a
    build of `//...` needs no helper.

    Args:
        name: name of the target. Messages propose `bazel run //:providers_lock`.
        lock_file: path of a dependency lock (`.terraform.lock.hcl`) for users of the providers to write besides, below the directory of
            this package. It is made if it does not exist.
        manifest: the manifest of the hub, for a hub that is imported by another name than `@tf_toolchains`.
        tags: as for every rule.
        **kwargs: further attributes that every rule has, such as `visibility`.
    """

    # A macro of the old kind hands strings on as they are, so that the hub's name is that in the caller's repository.
    providers_lock(
        name = name,
        lock_file = lock_file,
        manifest = manifest,
        tags = tags + ["manual"],
        **kwargs
    )
