"""Reads the table of contents of a zip, its central directory, before Bazel unpacks the file. Pure.

Bazel writes an entry wherever its name leads, and the helper must not be needed to unpack: a warm build neither builds nor runs it. So the
table is read here, and strictly: what could be understood in two ways is refused, so that Bazel sees the very entries that were judged.
The helper (tools/internal/archive) reads it by the same rules.

A file is a string with one character per byte, as `repository_ctx.read` returns it; the hash of one character is its code.
"""

visibility(["//tf/..."])

# The last record has 22 bytes and a comment of at most 65535, so it is in a tail of this size.
TAIL = 128 * 1024

# 100,000 entries, the most that are unpacked, with names of 280 bytes.
_MOST_BYTES = 32 * 1024 * 1024

_END = "PK\005\006"
_END_SIZE = 22
_HEADER = "PK\001\002"
_HEADER_SIZE = 46
_NO_16 = 0xFFFF
_NO_32 = 0xFFFFFFFF

def _byte(text, at):
    code = hash(text[at])
    if code < 0 or code > 255:
        fail("this Bazel does not read files as bytes: character {}. Please report this as a bug of rules_tf_mirror.".format(code))
    return code

def _u16(text, at):
    return _byte(text, at) + _byte(text, at + 1) * 0x100

def _u32(text, at):
    return _u16(text, at) + _u16(text, at + 2) * 0x10000

def describe_other(head):
    """Says what a file is that is no readable zip (B40).

    Args:
        head: its first bytes, up to some hundreds.

    Returns:
        A text that follows "it is".
    """
    text = head.strip().lower()
    if not head:
        return "empty, wanted a zip file"
    if head.startswith("PK\003\004"):
        return "a zip file that is cut off or damaged: its table of contents at the end cannot be read"
    if len(head) > 1 and _byte(head, 0) == 0x1f and _byte(head, 1) == 0x8b:
        return "a gzip file (perhaps tar.gz), wanted a zip file: the tools support only zip packages"
    if head.startswith("BZh") or head[1:6] == "7zXZ\000" or len(head) > 3 and _u32(head, 0) == 0xfd2fb528:
        return "a bzip2, xz or zstd file, wanted a zip file: the tools support only zip packages"
    if text.startswith("<!doctype") or text.startswith("<html") or text.startswith("<?xml"):
        return "a web page or XML document, wanted a zip file"
    return "no zip file"

def _answer(problem = None, missing = 0, entries = None):
    return struct(problem = problem, missing = missing, entries = entries)

def read_zip_directory(tail, size):
    """Reads the central directory.

    Args:
        tail: the last bytes of the file, at least `TAIL` of them or all that it has.
        size: the number of bytes of the whole file.

    Returns:
        A struct of `problem` (what is wrong, None if nothing is; empty if there is no table at all, so that this is no zip), `missing` (how
        many bytes `tail` must have, 0 if it has them) and `entries`: structs of `name` (one character per byte), `size` (unpacked, in
        bytes), `packed_size`, `method`, `encrypted`, `mode` (Unix mode, 0 if there is none), `attributes` (MS-DOS attributes) and
        `mode_at` (the offset of the two bytes of the mode in the file).
    """
    end = tail.rfind(_END)
    if end < 0:
        return _answer(problem = "")
    if len(tail) - end < _END_SIZE or _u16(tail, end + 20) != len(tail) - end - _END_SIZE:
        return _answer(problem = "there is something behind the end of the zip, or the zip is cut off")
    count, directory_size, offset = _u16(tail, end + 10), _u32(tail, end + 12), _u32(tail, end + 16)
    if count == _NO_16 or directory_size == _NO_32 or offset == _NO_32:
        return _answer(problem = "it is a zip64 file, which is for packages of 4 GiB and more")
    if _u16(tail, end + 4) or _u16(tail, end + 6) or _u16(tail, end + 8) != count:
        return _answer(problem = "it is one of several parts of a zip")
    end_offset = size - len(tail) + end
    if offset + directory_size != end_offset:
        return _answer(problem = "the table of contents is not where the end of the zip says it is")
    if directory_size > _MOST_BYTES:
        return _answer(problem = "its table of contents has {} bytes, at most {} are read".format(directory_size, _MOST_BYTES))
    if size - offset > len(tail):
        return _answer(missing = size - offset)

    entries = []
    at = end - directory_size
    for _ in range(count):
        if end - at < _HEADER_SIZE or tail[at:at + 4] != _HEADER:
            return _answer(problem = "its table of contents is damaged")
        name_size = _u16(tail, at + 28)
        next = at + _HEADER_SIZE + name_size + _u16(tail, at + 30) + _u16(tail, at + 32)
        packed_size, unpacked_size, local = _u32(tail, at + 20), _u32(tail, at + 24), _u32(tail, at + 42)
        if next > end or _u16(tail, at + 34):
            return _answer(problem = "its table of contents is damaged")
        if packed_size == _NO_32 or unpacked_size == _NO_32 or local == _NO_32:
            return _answer(problem = "it has zip64 entries, which are for files of 4 GiB and more")
        if local + packed_size > offset:
            return _answer(problem = "its table of contents says that an entry is where no entry can be")
        entries.append(struct(
            attributes = _byte(tail, at + 38),
            encrypted = _byte(tail, at + 8) % 2 == 1,
            method = _u16(tail, at + 10),
            mode = _u16(tail, at + 40),
            mode_at = size - len(tail) + at + 40,
            name = tail[at + _HEADER_SIZE:at + _HEADER_SIZE + name_size],
            packed_size = packed_size,
            size = unpacked_size,
        ))
        at = next
    if at != end:
        return _answer(problem = "its table of contents has another number of entries than the end of the zip says")
    return _answer(entries = entries)
