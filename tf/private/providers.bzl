"""Providers of packages and mirrors."""

visibility("public")  # the targets that return them are declared in generated repositories

TfPackageInfo = provider(
    doc = "One package of a Terraform or OpenTofu provider, unpacked.",
    fields = {
        "directory": "File: a source directory that can be given to `-plugin-dir`. It holds this package alone, below its address.",
        "files": "depset of File: everything that an action must have as input to use `directory`.",
        "host": "string: host name of the registry, with the port unless it is 443.",
        "namespace": "string: the namespace.",
        "platform": "string: such as `linux_amd64`.",
        "type": "string: the provider's type, its name without the namespace.",
        "version": "string: canonical version.",
    },
)

TfMirrorInfo = provider(
    doc = "Packages of one platform.",
    fields = {
        "packages": "list of TfPackageInfo, sorted by address and version.",
        "platform": "string: such as `linux_amd64`.",
    },
)
