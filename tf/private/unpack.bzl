"""Unpacks a provider package the way the tools do, with modes that do not get in anybody's way."""

load(":shown_text.bzl", "shown")
load(":zip_directory.bzl", "TAIL", "describe_other", "read_zip_directory")
load(":zip_entries.bzl", "judge_entries")

visibility(["//tf/..."])

_PART = "package.part"

# Prints the size of a file and copies its end. A large package must not be read into Bazel's memory as a whole.
_COPY_TAIL = """wc -c <"$1" && tail -c "$2" "$1" >"$3\""""
_COPY_HEAD = """dd if="$1" of="$2" bs=512 count=1 2>/dev/null"""

# Sets the modes of entries to 0100644, in a copy: the archive may be a hard link into the repository cache.
_AS_FILES = """
cp "$1" "$1.copy" && chmod u+w "$1.copy" && mv -f "$1.copy" "$1" || exit 1
archive=$1
shift
for offset do
  printf '\\244\\201' | dd of="$archive" bs=1 seek="$offset" conv=notrunc 2>/dev/null || exit 1
done
"""

_REPAIR = """. Nothing was unpacked. If this is how the publisher made the package, tell them, and choose another version; a proxy or a mirror
may also have answered with another file when the hash was recorded: then remove the package's fact from MODULE.bazel.lock and rerun."""

def _run(repository_ctx, arguments):
    result = repository_ctx.execute(arguments)
    if result.return_code != 0:
        fail("cannot unpack the package: {} failed: {}".format(arguments[0], result.stderr.strip()))
    return result.stdout

def _script(repository_ctx, script, arguments):
    # Everything that varies is an argument, so that any text is safe.
    return _run(repository_ctx, ["sh", "-c", script, "sh"] + arguments)

def _read_tail(repository_ctx, archive, wanted, windows):
    """The end of a file, and its size."""
    if windows:
        text = repository_ctx.read(archive, watch = "no")
        return text, len(text)
    size = int(_script(repository_ctx, _COPY_TAIL, [archive, str(wanted), _PART]).strip())
    tail = repository_ctx.read(_PART, watch = "no")
    repository_ctx.delete(_PART)
    if len(tail) != min(size, wanted):
        fail("cannot unpack the package: `tail -c {}` gave {} bytes of a file of {}".format(wanted, len(tail), size))
    return tail, size

def _read_head(repository_ctx, archive, tail, size):
    if len(tail) == size:
        return tail[:512]
    _script(repository_ctx, _COPY_HEAD, [archive, _PART])
    head = repository_ctx.read(_PART, watch = "no")
    repository_ctx.delete(_PART)
    return head

def _judge(repository_ctx, archive, windows):
    """What is wrong with an archive, else None. Afterwards Bazel takes each entry for what the tools take it for."""
    tail, size = _read_tail(repository_ctx, archive, TAIL, windows)
    directory = read_zip_directory(tail, size)
    if directory.missing:
        tail, size = _read_tail(repository_ctx, archive, directory.missing, windows)
        directory = read_zip_directory(tail, size)
    if directory.problem == "":
        return "the package is " + describe_other(_read_head(repository_ctx, archive, tail, size))
    if directory.problem:
        return "the package cannot be read: " + directory.problem
    fold_case = windows or repository_ctx.os.name.lower().startswith("mac")
    judged = judge_entries(directory.entries, size, windows = windows, fold_case = fold_case)
    if judged.problem or not judged.as_files:
        return judged.problem
    if windows:
        return "entry {}: the entry is a link, which is unpacked on Linux and macOS only".format(shown(judged.as_files[0].name))
    offsets = [str(entry.mode_at) for entry in judged.as_files]
    for start in range(0, len(offsets), 1000):
        _script(repository_ctx, _AS_FILES, [archive] + offsets[start:start + 1000])
    return None

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

    # Windows has no such modes.
    windows = repository_ctx.os.name.lower().startswith("windows")
    problem = _judge(repository_ctx, archive, windows)
    if problem:
        return problem + _REPAIR
    repository_ctx.extract(archive, output = directory)
    repository_ctx.delete(archive)
    if not windows:
        # A zip made carelessly has files that can neither be read nor removed (C18).
        _run(repository_ctx, ["chmod", "-R", "u=rwX,go=rX", directory])
    entries = [(path.basename, path.is_dir) for path in repository_ctx.path(directory).readdir()]
    executable = find_executable(entries, type)
    if not executable:
        return ('the package has no file named "terraform-provider-{}", with "_" or "." and anything behind it. ' +
                "It is no provider; found: {}.").format(type, ", ".join(sorted([shown(name) for name, _ in entries])[:5]) or "nothing")
    if not windows:
        _run(repository_ctx, ["chmod", "a+x", "{}/{}".format(directory, executable)])
    return None
