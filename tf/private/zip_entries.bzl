"""Judges the entries of a package before one of them is unpacked. Pure; the same verdicts as tools/internal/archive has."""

load(":shown_text.bzl", "shown")

visibility(["//tf/..."])

_MOST_ENTRIES = 100 * 1000
_MOST_BYTES = 16 << 30
_MOST_RATIO = 200
_RATIO_FLOOR = 256 << 20

# More is no path on macOS.
_MOST_CHARACTERS = 1024

_CONTROLS = "\000\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017\020\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037\177"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WINDOWS_CHARACTERS = "<>:\"|?*\\"
_WINDOWS_DEVICES = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]

# The upper four bits of a Unix mode.
_NO_TYPE = 0
_FOLDER = 4
_FILE = 8
_LINK = 10

_DOS_FOLDER = 0x10

# What Bazel takes for a file when an entry has no Unix mode: no attribute, the archive bit or the normal bit.
_DOS_ARCHIVE = 0x20
_DOS_NORMAL = 0x80

def _windows_problem(elements):
    for element in elements:
        if any([c in element for c in _WINDOWS_CHARACTERS.elems()]):
            return "the name has a character that Windows does not allow in file names"
        if element.endswith(".") or element.endswith(" "):
            return "an element of the name ends with a dot or a space, which Windows drops"
        stem = element.split(".")[0].rstrip(" ").upper()

        # The raised digits count as digits here. They are of two bytes in UTF-8, the second one differs.
        device = stem.rstrip("0123456789")
        if stem in _WINDOWS_DEVICES or device in ["COM", "LPT"] and device != stem:
            return "an element of the name is a device on Windows"
    return None

def clean_name(name, windows = False):
    """Checks the name of an entry.

    Args:
        name: as it stands in the zip.
        windows: whether the rules of Windows apply besides.

    Returns:
        A pair of the path below the package's directory ("." for that itself) and what is wrong with the name, one of which is None.
    """
    if not name:
        return None, "the name is empty"
    if len(name) > _MOST_CHARACTERS:
        return None, "the name has {} bytes, at most {} are a path".format(len(name), _MOST_CHARACTERS)
    if any([c in name for c in _CONTROLS.elems()]):
        return None, "the name has a control character, such as a line break"
    if name.startswith("/"):
        return None, "the name is absolute, wanted one relative to the package"
    if len(name) > 1 and name[1] == ":" and name[0] in _LETTERS:
        return None, "the name begins with a drive letter, wanted one relative to the package"
    if ".." in name.replace("\\", "/").split("/"):
        return None, 'the name has ".." as an element and could leave the package'
    elements = [element for element in name.split("/") if element not in ("", ".")]
    problem = _windows_problem(elements) if windows else None
    return (None, problem) if problem else ("/".join(elements) or ".", None)

def _entry_type(entry, path):
    """Whether an entry is a folder, whether Bazel must be made to take it for a file, and what is wrong with it."""
    type = entry.mode // 0x1000
    if entry.encrypted:
        return None, None, "the entry is encrypted"
    if entry.method not in (0, 8):
        return None, None, "the entry has compression method {}, which is not supported".format(entry.method)
    if entry.name.endswith("/"):
        folder, known = True, type in (_NO_TYPE, _FOLDER, _FILE)
    elif entry.mode == 0:
        folder, known = entry.attributes & _DOS_FOLDER != 0, True
    else:
        folder, known = type == _FOLDER, type in (_NO_TYPE, _FOLDER, _FILE, _LINK)
    if not known:
        return None, None, "the entry is neither file, directory nor link (mode 0x{})".format("%x" % entry.mode)
    if folder:
        return True, False, ("a directory with content" if entry.size else None)
    if path == ".":
        return None, None, "the name of a file is that of the package directory itself"
    if entry.method == 0 and entry.size != entry.packed_size:
        return None, None, "the archive is damaged: the entry has two sizes"
    odd = entry.mode == 0 and entry.attributes != 0 and entry.attributes & (_DOS_ARCHIVE | _DOS_NORMAL) == 0
    return False, type == _LINK or odd, None

def _add(tree, path, folder, fold_case):
    """Enters a path into the tree, a dict by element of pairs of its spelling and, of a folder, such a dict again.

    Returns:
        What contradicts the path, else None.
    """
    elements = path.split("/") if path != "." else []
    for depth, element in enumerate(elements):
        key = element.lower() if fold_case else element
        is_folder = folder or depth < len(elements) - 1
        known = tree.get(key)
        if known == None:
            known = (element, {} if is_folder else None)
            tree[key] = known
        elif known[0] != element:
            return "this system takes the name for the same as {} (case differs)".format(shown("/".join(elements[:depth] + [known[0]])))
        elif (known[1] != None) != is_folder:
            return "{} is a file and a directory at once".format(shown("/".join(elements[:depth + 1])))
        elif not is_folder:
            return "two entries have this name"
        tree = known[1]
    return None

def _limit_problem(entries, zip_size):
    if len(entries) > _MOST_ENTRIES:
        return "the zip has {} entries, at most {} are unpacked".format(len(entries), _MOST_ENTRIES)
    total = 0
    for entry in entries:
        total += entry.size
    if total > _MOST_BYTES:
        return "the unpacked package has more than {} bytes".format(_MOST_BYTES)
    if total > _RATIO_FLOOR and total // _MOST_RATIO > zip_size:
        return "a zip of {} bytes claims to unpack to {}, more than {} times its size".format(zip_size, total, _MOST_RATIO)
    return None

def judge_entries(entries, zip_size, windows = False, fold_case = False):
    """Decides whether a package may be unpacked.

    Args:
        entries: as `read_zip_directory` returns them.
        zip_size: size of the zip, in bytes.
        windows: whether the rules of Windows for names apply.
        fold_case: whether the system takes names that differ in case only for the same.

    Returns:
        A struct of `problem` (what is wrong, else None) and `as_files`: the entries that become regular files, as the tools make them
        (R-HASH-7), but that Bazel takes for something else unless their mode is changed.
    """
    if not entries:
        return struct(problem = "the zip is empty", as_files = [])
    problem = _limit_problem(entries, zip_size)
    if problem:
        return struct(problem = problem, as_files = [])
    tree, as_files, files = {}, [], 0
    for entry in entries:
        path, problem = clean_name(entry.name, windows)
        folder, odd = None, None
        if not problem:
            folder, odd, problem = _entry_type(entry, path)
        problem = problem or _add(tree, path, folder, fold_case)
        if problem:
            return struct(problem = "entry {}: {}".format(shown(entry.name), problem), as_files = [])
        files += 0 if folder else 1
        if odd:
            as_files.append(entry)
    return struct(problem = None if files else "the zip holds no file, only directories", as_files = as_files)
