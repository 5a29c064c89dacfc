"""Where providers are taken from, and what hosts offer: the tags `source` and `host`, and the attribute `installation`. Pure.

What they mean is the helper's business, which reads the same from `provider_installation` of a CLI configuration. They matter to questions
that no fact answers; what is recorded stays as it is until `--upgrade`.
"""

load(":dependency_locks.bzl", "shown_label", "workspace_path")
load(":sources.bzl", "normal_host")

visibility(["//tf/..."])

_METHODS = ["direct", "filesystem_mirror", "network_mirror", "oci_mirror"]

_NO_METHOD = """tf.source says {found}. Write one of these in each, and as many tags as there are sources, in their order:
    tf.source(network_mirror = "https://mirror.example.com/providers/")
    tf.source(filesystem_mirror = "//third_party/providers:BUILD.bazel")
    tf.source(oci_mirror = "registry.example.com/mirror/${{namespace}}/${{type}}")
    tf.source(direct = True)"""

def _read_source(tag, tool, is_directory):
    methods = [name for name in _METHODS if getattr(tag, name)]
    if len(methods) != 1:
        return None, _NO_METHOD.format(found = " and ".join(methods) or "no place")
    kind = methods[0]
    path, root = "", None
    if kind == "oci_mirror" and tool != "tofu":
        return None, "tf.source(oci_mirror = …): only OpenTofu knows such mirrors. Set use_tofu in tf.download, or use another mirror."
    if kind == "filesystem_mirror":
        root = tag.filesystem_mirror
        path = workspace_path(root)
        if path == None:
            return None, ("tf.source(filesystem_mirror = …): {} is not of this workspace. A mirror is a directory of the workspace, " +
                          "since packages are recorded by their paths in it.").format(shown_label(root))
        if not is_directory(root):
            path = path.rpartition("/")[0]
    return struct(
        kind = kind,
        url = tag.network_mirror,
        repository_template = tag.oci_mirror,
        path = path,
        root = root,
        include = tag.include,
        exclude = tag.exclude,
    ), None

def _read_hosts(tags):
    hosts = {}
    for tag in tags:
        context = 'tf.host(host = "{}")'.format(tag.host)
        normal = normal_host(tag.host)
        if not normal or normal != tag.host:
            return None, "{}: this is no host name as sources have it. Write it {}.".format(
                context,
                '"{}"'.format(normal) if normal else 'like "registry.acme.dev", without https:// and path',
            )
        if tag.host in hosts:
            return None, "{}: there are two such tags. Keep one of them.".format(context)
        if not tag.providers.startswith("https://") and not tag.providers.startswith("http://"):
            return None, ('{}: providers = "{}" is no absolute URL. Write one like "https://{}/v1/providers/".').format(
                context,
                tag.providers,
                tag.host,
            )
        hosts[tag.host] = tag.providers
    return {host: hosts[host] for host in sorted(hosts)}, None

def read_installation(modules, installation, tool, is_directory):
    """Reads what the root module says about sources and hosts.

    Args:
        modules: `module_ctx.modules`.
        installation: the attribute of that name; None or empty if it is not set.
        tool: "terraform" or "tofu".
        is_directory: a function from a label to whether it names a directory.

    Returns:
        A pair of the installation and an error, one of which is None. The installation is a struct of `config` (whether the CLI
        configuration decides), `sources` (a list in order, of structs of `kind`, `url`, `repository_template`, `path` and `root` (of a
        filesystem mirror: its directory below the workspace, and the label that was given), `include` and `exclude`) and `hosts`
        (URLs of provider registries by host).
    """
    if (installation or "direct") not in ("direct", "config"):
        return None, ('tf.download(installation = "{}"): it must be "direct" or "config", which takes provider_installation from ' +
                      "the CLI configuration of whoever builds.").format(installation)
    root_tags = struct(source = [], host = [])
    for module in modules:
        if module.is_root:
            root_tags = module.tags
        elif module.tags.source or module.tags.host:
            return None, ('module "{}" has a tf.{} tag. Only the root module may say where providers are taken from.').format(
                module.name,
                "source" if module.tags.source else "host",
            )
    if installation == "config" and root_tags.source:
        return None, ('tf.download(installation = "config") takes the sources from the CLI configuration, and tf.source names others. ' +
                      "Keep one of them.")
    sources = []
    for tag in root_tags.source:
        source, problem = _read_source(tag, tool, is_directory)
        if problem:
            return None, problem
        sources.append(source)
    hosts, problem = _read_hosts(root_tags.host)
    if problem:
        return None, problem
    return struct(config = installation == "config", hosts = hosts, sources = sources), None

def _source_json(source, path):
    members = {
        "exclude": source.exclude,
        "include": source.include,
        "kind": source.kind,
        "path": path,
        "repository_template": source.repository_template,
        "url": source.url,
    }
    return {name: value for name, value in members.items() if value}

def installation_json(installation, directory = lambda source: source.path or "."):
    """The installation as a request of the helper has it.

    Args:
        installation: as `read_installation` returns it.
        directory: a function from a filesystem mirror to its directory; by default relative to the workspace.

    Returns:
        A dict without what is not set.
    """
    members = {
        "hosts": {host: {"providers.v1": url} for host, url in installation.hosts.items()},
        "installation": "config" if installation.config else None,
        "sources": [
            _source_json(source, directory(source) if source.kind == "filesystem_mirror" else None)
            for source in installation.sources
        ],
    }
    return {name: value for name, value in members.items() if value}

def mirror_files(installation, path):
    """Where a package of a filesystem mirror may be.

    Args:
        installation: as `read_installation` returns it.
        path: path of the package below the root of its mirror.

    Returns:
        Paths below the workspace. The first that is there has the package: what is recorded does not say which mirror it was.
    """
    roots = [source.path for source in installation.sources if source.kind == "filesystem_mirror"]
    return ["{}/{}".format(root, path) if root else path for root in roots]
