"""The repository of the helper, `@tfmirror_host//:tfmirror`, for the machine that Bazel runs on.

In a checkout without a release it is built from this module's own sources, by `go build`: rules_go would make every user's build ask for
Go's release index. Whoever touches the label pays for it; the extension does so only where no fact answers.
"""

load(":go_toolchain.bzl", "find_go", "host", "required_go_version")

visibility(["//tf/..."])

_SOURCES = ["tools/tfmirror", "tools/internal"]

_FAILED = """cannot build tfmirror, the helper of rules_tf_mirror, with {go}:

{stderr}

If modules could not be downloaded: set GOPROXY, or run `go mod download` in {root} once while online.
If the compiler complains: put Go {required} or newer first on PATH."""

_BUILD = """exports_files(glob(["tfmirror*"]), visibility = ["//visibility:public"])

# What can be run, which on Windows is known by its extension.
filegroup(
    name = "executable",
    srcs = ["{}"],
    visibility = ["//visibility:public"],
)
"""

def build_environment(environ, os_name, os_arch, own_cache):
    """What `go build` gets on top of the environment of the client.

    Args:
        environ: the environment of the client.
        os_name: `repository_ctx.os.name`.
        os_arch: `repository_ctx.os.arch`.
        own_cache: a directory for caches that the environment has no place for.

    Returns:
        A dict. GOPROXY, GONOSUMDB and the like are passed on by not being in it.
    """
    goos, goarch = host(os_name, os_arch)
    environment = {
        "CGO_ENABLED": "0",
        "GOARCH": goarch,
        # Not empty: then Go would take the flags of its own configuration file.
        "GOFLAGS": "-mod=readonly",
        "GOOS": goos,
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }

    # Go has its caches in the home directory, and on Windows in the profile's.
    home = environ.get("HOME") if goos != "windows" else environ.get("USERPROFILE")
    cache = environ.get("XDG_CACHE_HOME") if goos == "linux" else environ.get("LOCALAPPDATA") if goos == "windows" else None
    if not environ.get("GOCACHE") and not home and not cache:
        environment["GOCACHE"] = own_cache + "/build"
    if not environ.get("GOMODCACHE") and not environ.get("GOPATH") and not home:
        environment["GOMODCACHE"] = own_cache + "/mod"
        environment["GOFLAGS"] += " -modcacherw"  # or Bazel could not remove it
    return environment

def _helper_repo_impl(repository_ctx):
    go_mod = repository_ctx.path(Label("//:go.mod"))
    root = go_mod.dirname

    # No more than what is compiled: this module's other files change all the time while it is worked on.
    repository_ctx.watch(go_mod)
    repository_ctx.watch(root.get_child("go.sum"))
    for directory in _SOURCES:
        repository_ctx.watch_tree(root.get_child(*directory.split("/")))

    required = required_go_version(repository_ctx.read(go_mod, watch = "no"))
    go, environment = find_go(repository_ctx, required)
    os = repository_ctx.os
    environment = environment | build_environment(os.environ, os.name, os.arch, str(repository_ctx.path("cache")))
    windows = environment["GOOS"] == "windows"
    output = "tfmirror.exe" if windows else "tfmirror"
    repository_ctx.report_progress("Building tfmirror")
    result = repository_ctx.execute(
        [go, "build", "-trimpath", "-buildvcs=false", "-o", repository_ctx.path(output), "./tools/tfmirror"],
        environment = environment,
        timeout = 1800,
        working_directory = str(root),
    )
    if result.return_code != 0:
        fail(_FAILED.format(
            go = go,
            required = ".".join([str(number) for number in required]),
            root = root,
            stderr = (result.stderr or result.stdout).strip(),
        ))
    for leftover in ["go", "cache"]:
        repository_ctx.delete(leftover)
    if windows:
        repository_ctx.symlink(output, "tfmirror")  # one label everywhere
    repository_ctx.file("BUILD.bazel", _BUILD.format(output), executable = False)

_helper_repo = repository_rule(
    implementation = _helper_repo_impl,
    doc = "The helper, built for the machine that Bazel runs on.",
)

def _tfmirror_helper_impl(module_ctx):
    _helper_repo(name = "tfmirror_host")
    return module_ctx.extension_metadata(reproducible = True)

tfmirror_helper = module_extension(
    implementation = _tfmirror_helper_impl,
    doc = "Private: declares `@tfmirror_host`.",
)
