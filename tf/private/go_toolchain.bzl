"""A Go that can build the helper: the one on PATH if it is new enough, else a pinned one."""

visibility(["//tf/..."])

_VERSION = "1.26.8"

# Go's own module of its toolchain, since the checksum database vouches for it: the files in a zip with this sha256 have the h1 beside it,
# which sum.golang.org/lookup/golang.org/toolchain@v0.0.1-go<version>.<platform> shows. Elsewhere, Go has to be installed.
_MODULE = "golang.org/toolchain@v0.0.1-go{version}.{platform}"
_URL = "https://proxy.golang.org/golang.org/toolchain/@v/v0.0.1-go{version}.{platform}.zip"
_SHA256 = {
    "darwin-amd64": "fe99a2009e5bb51e06d7784f1a486478673512041c2671157bd382806e2aedcf",  # h1:7/9KPPN8PckcA9s91hm2jmQMhzW4KyTJXHIs45L0C9M=
    "darwin-arm64": "0aad5fb52b88498885290178adc0bcfe429bc63012621af9f83282eb640bd9c7",  # h1:dFjGhY6f8DTsY8/rLchUTDRRfjJP4pCrGCwxvHFT2Fg=
    "linux-amd64": "30c2b1bf7dcc88d3eb0a1364e47ddd9128edb3110a30e8a0ef61cd5856b31de7",  # h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=
    "linux-arm64": "02b36b6787b3ac767668f630e2998df45a3b1f9ffee08d1bf3ef6487cd658d99",  # h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=
}

# What a module zip cannot hold: nested modules, hence the underscore. Only these two matter for building.
_GO_MODS = ["src/_go.mod", "src/cmd/_go.mod"]

def host(os_name, os_arch):
    """The host in Go's words.

    Args:
        os_name: `repository_ctx.os.name`.
        os_arch: `repository_ctx.os.arch`.

    Returns:
        A pair of GOOS and GOARCH.
    """
    name = os_name.lower()
    goos = "darwin" if name.startswith("mac") else "windows" if name.startswith("windows") else name
    return goos, {"aarch64": "arm64", "x86_64": "amd64"}.get(os_arch, os_arch)

def parse_go_version(text):
    """The version in a text such as `go version go1.26.8 linux/amd64` or `go 1.26.0`.

    Args:
        text: one line.

    Returns:
        A tuple of up to three numbers, to be compared; None if there is none.
    """
    for word in text.strip().split(" "):
        digits = word.removeprefix("go").split("-")[0].split("rc")[0].split("beta")[0].split(".")
        if len(digits) > 1 and all([part.isdigit() for part in digits]):
            return tuple([int(part) for part in digits])
    return None

def required_go_version(go_mod):
    """The version in the `go` line of a go.mod.

    Args:
        go_mod: content of the file.

    Returns:
        A tuple of numbers. Fails without such a line.
    """
    for line in go_mod.split("\n"):
        if line.startswith("go "):
            return parse_go_version(line)
    fail("go.mod has no go line")

def _usable(repository_ctx, go, required):
    result = repository_ctx.execute([go, "version"], environment = {"GOTOOLCHAIN": "local"})
    found = parse_go_version(result.stdout) if result.return_code == 0 else None
    return found != None and found >= required

def _download(repository_ctx, platform, required):
    if platform not in _SHA256:
        fail(("building tfmirror needs Go {} or newer on PATH: there is no pinned Go for {}. " +
              "Install it from https://go.dev/dl/ and rerun.").format(".".join([str(n) for n in required]), platform))
    repository_ctx.report_progress("Downloading Go " + _VERSION)
    repository_ctx.download_and_extract(
        url = [_URL.format(platform = platform, version = _VERSION)],
        output = "go",
        sha256 = _SHA256[platform],
        stripPrefix = _MODULE.format(platform = platform, version = _VERSION),
    )
    for go_mod in _GO_MODS:
        repository_ctx.file("go/" + go_mod.replace("_", ""), repository_ctx.read("go/" + go_mod), executable = False)

    # A module zip has no modes.
    repository_ctx.execute(["chmod", "-R", "u+x", "go/bin", "go/pkg/tool"])
    return repository_ctx.path("go/bin/go")

def find_go(repository_ctx, required):
    """Finds or downloads Go.

    Args:
        repository_ctx: the context of the helper's repository.
        required: the oldest version that will do, as a tuple of numbers.

    Returns:
        A pair of the path of `go` and the environment that it needs besides.
    """
    go = repository_ctx.which("go")
    if go and _usable(repository_ctx, go, required):
        return go, {}
    goos, goarch = host(repository_ctx.os.name, repository_ctx.os.arch)
    go = _download(repository_ctx, "{}-{}".format(goos, goarch), required)
    return go, {"GOROOT": str(repository_ctx.path("go"))}
