"""Names of platforms as the registries spell them, and Bazel's constraint values for them."""

visibility(["//tf/..."])

DEFAULT_PLATFORMS = [
    "darwin_amd64",
    "darwin_arm64",
    "linux_amd64",
    "linux_arm64",
    "windows_amd64",
]

_OS = {
    "darwin": "macos",
    "freebsd": "freebsd",
    "linux": "linux",
    "netbsd": "netbsd",
    "openbsd": "openbsd",
    "windows": "windows",
}

_CPU = {
    "386": "x86_32",
    "amd64": "x86_64",
    "arm": "arm",
    "arm64": "aarch64",
    "ppc64le": "ppc64le",
    "riscv64": "riscv64",
    "s390x": "s390x",
}

_ALNUM = "abcdefghijklmnopqrstuvwxyz0123456789"

def is_platform(text):
    """Whether a text has the form of a platform: `<os>_<arch>`, lower-case letters and digits."""
    parts = text.split("_")
    return len(parts) == 2 and all([
        bool(part) and all([c in _ALNUM for c in part.elems()])
        for part in parts
    ])

def constraint_values(platform):
    """The constraint values of a platform.

    Args:
        platform: such as "linux_amd64".

    Returns:
        Labels of `@platforms` as canonical strings; None if it has no constraint value for the system or the processor (say solaris).
        Such a platform has its own mirror target, which `select` cannot choose.
    """
    os, _, arch = platform.partition("_")
    if os not in _OS or arch not in _CPU:
        return None
    return [
        str(Label("@platforms//os:" + _OS[os])),
        str(Label("@platforms//cpu:" + _CPU[arch])),
    ]
