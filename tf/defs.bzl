"""Rules for BUILD files, and the providers of the hub's targets.

    load("@rules_tf_mirror//tf:defs.bzl", "tf_providers_lock", "tf_requirements_test")

    tf_providers_lock(
        name = "providers_lock",
        mirror_json = "providers.json",
        requirements = ["live"],
    )

    tf_requirements_test(
        name = "requirements_test",
        srcs = glob(["live/**", "modules/**"]),
        mirror_json = "providers.json",
        requirements = ["live"],
    )
"""

load("//tf/private:providers.bzl", _TfMirrorInfo = "TfMirrorInfo", _TfPackageInfo = "TfPackageInfo")
load("//tf/private:providers_lock.bzl", "providers_lock")
load("//tf/private:requirements_test.bzl", "requirements_test")

# What targets of the hub return, for rules of your own: one `-plugin-dir` for each package of a mirror.
TfMirrorInfo = _TfMirrorInfo
TfPackageInfo = _TfPackageInfo

_MANIFEST = "@tf_toolchains//:manifest.json"

def tf_providers_lock(
        name,
        lock_file = None,
        lock_file_versions = {},
        manifest = _MANIFEST,
        mirror_json = None,
        requirements = [],
        tags = [],
        **kwargs):
    """Verifies signatures of providers, and records what they sign.

    `bazel run` of this target asks the registries for the signed checksums of every provider version of the manifest, verifies them, and
    writes them as `verified/` facts into MODULE.bazel.lock; the next command holds every package against them. Arguments after `--` go to
    `tfmirror lock`:

        bazel run //:providers_lock                          # verify and record; after every change of the manifest
        bazel run //:providers_lock -- --check               # exit code 1 if the records are not what verification gives now: for CI
        bazel run //:providers_lock -- --check --offline     # only whether records and manifest agree with each other
        bazel run //:providers_lock -- --upgrade             # choose anew within the constraints, verify and record

    With `requirements` it gathers first: it reads the modules that are named and those that they call, and writes which providers they
    require, and who requires them, into the file that `mirror_json` of `tf.download` names too. If that changes the file, nothing is
    verified yet, since the manifest was made from what the file held before: the run says so and ends with exit code 1, and running the
    same command again does the rest. `--check` shows a difference in either, and writes nothing.

    The target depends on no package, so it downloads none, and it runs whatever packages refuse to be fetched. It is tagged `manual`: a
    build of `//...` needs no helper.

    Args:
        name: name of the target. Messages propose `bazel run //:providers_lock`.
        lock_file: path of a dependency lock (`.terraform.lock.hcl`) for users of the providers to write besides, below the directory of
            this package. It is made if it does not exist.
        lock_file_versions: which version of a source that is stocked at several goes there, as a dependency lock has one of each:
            `{"hashicorp/random": "3.1.3"}`.
        manifest: the manifest of the hub, for a hub that is imported by another name than `@tf_toolchains`.
        mirror_json: path of the file for what is gathered, below the directory of this package. Strings in it are yours and stay.
        requirements: paths of root modules, as directories or single `.tf` and `.tf.json` files, below the directory of this package; `.`
            is that directory. Modules from registries are read where `terraform get` has put them.
        tags: as for every rule.
        **kwargs: further attributes that every rule has, such as `visibility`.
    """

    # A macro of the old kind hands strings on as they are, so that the hub's name is that in the caller's repository.
    providers_lock(
        name = name,
        lock_file = lock_file,
        lock_file_versions = lock_file_versions,
        manifest = manifest,
        mirror_json = mirror_json,
        requirements = requirements,
        tags = tags + ["manual"],
        **kwargs
    )

def tf_requirements_test(
        name,
        srcs,
        requirements,
        mirror_json = "providers.json",
        manifest = _MANIFEST,
        repair = "bazel run //:providers_lock",
        tags = [],
        **kwargs):
    """Fails if a file of gathered requirements is not what the configurations require.

    It needs no network, and sees nothing but its `srcs`: they must be all files of the modules that are read. A module that is called and
    not there is an error; a single file that is left out goes unnoticed. Modules from registries, which `terraform get` puts below
    `.terraform`, are seldom there: use `bazel run //:providers_lock -- --check` for configurations with such modules.

    Args:
        name: name of the target.
        srcs: labels of the files, as in `glob(["live/**/*.tf", "modules/**/*.tf"])`.
        requirements: as for `tf_providers_lock`.
        mirror_json: the file, of this package.
        manifest: as for `tf_providers_lock`.
        repair: the command that writes the file, for the message.
        tags: as for every rule.
        **kwargs: further attributes that every test has, such as `size`.
    """
    requirements_test(
        name = name,
        srcs = srcs,
        manifest = manifest,
        mirror_json = mirror_json,
        repair = repair,
        requirements = requirements,
        # The helper is one for the machine that Bazel runs on.
        tags = tags + ["no-remote-exec"],
        **kwargs
    )
