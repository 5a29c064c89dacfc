"""Unpacks a provider package the way the tools do, with modes that do not get in anybody's way."""

visibility(["//tf/..."])

# The tools write a link's target into a regular file (R-HASH-7). Names come as arguments, so that any name is safe.
_LINKS_TO_FILES = """
for link do
  target=$(readlink "$link"; echo .) && target=${target%??} && rm "$link" && printf %s "$target" >"$link" || exit 1
done
"""

def _run(repository_ctx, arguments):
    result = repository_ctx.execute(arguments)
    if result.return_code != 0:
        fail("cannot unpack the package: {} failed: {}".format(arguments[0], result.stderr.strip()))

def find_executable(entries, type):
    """The provider's executable, as the tools find it (R-CACHE-6).

    Args:
        entries: pairs of the name of an entry of the package's directory and whether it is a directory.
        type: the provider's type.

    Returns:
        The name; None if there is none.
    """
    prefix = "terraform-provider-" + type
    for name, is_dir in sorted(entries):
        if not is_dir and (name == prefix or name.startswith(prefix + "_") or name.startswith(prefix + ".")):
            return name
    return None

def unpack(repository_ctx, archive, directory, type):
    """Unpacks a package and removes its archive.

    Args:
        repository_ctx: the context of the repository.
        archive: name of the zip, in the repository.
        directory: where to unpack it, which must not exist.
        type: the provider's type.

    Returns:
        None, or an error text if it is no package of a provider.
    """
    repository_ctx.extract(archive, output = directory)
    repository_ctx.delete(archive)

    # Windows has no such modes, and its own packages, the ones used there, have no links.
    windows = repository_ctx.os.name.lower().startswith("windows")
    if not windows:
        _run(repository_ctx, ["find", directory, "-type", "l", "-exec", "sh", "-c", _LINKS_TO_FILES, "sh", "{}", "+"])

        # A zip made carelessly has files that can neither be read nor removed (C18).
        _run(repository_ctx, ["chmod", "-R", "u=rwX,go=rX", directory])
    entries = [(path.basename, path.is_dir) for path in repository_ctx.path(directory).readdir()]
    executable = find_executable(entries, type)
    if not executable:
        return ('the package has no file named "terraform-provider-{}", with "_" or "." and anything behind it. ' +
                "It is no provider; found: {}.").format(type, ", ".join(sorted([name for name, _ in entries])) or "nothing")
    if not windows:
        _run(repository_ctx, ["chmod", "a+x", "{}/{}".format(directory, executable)])
    return None
