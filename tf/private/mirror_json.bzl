"""The content of a `mirror_json` file: entries that somebody wrote, and entries that the lock target has gathered from configurations."""

visibility(["//tf/..."])

_ENTRY = 'a JSON array of entries, each a string like "hashicorp/random:~> 3.1.0" or an object with "entry" and "wanted_by"'

# Some editors put it before a text in UTF-8. Bazel's strings have one character per byte.
_BYTE_ORDER_MARK = [0xEF, 0xBB, 0xBF]

def _is_string_list(value):
    return type(value) == "list" and all([type(item) == "string" for item in value])

def _read_element(element):
    if type(element) == "string":
        return struct(text = element, wanted_by = []), None
    if type(element) != "dict":
        return None, "{} is neither string nor object; it must hold {}".format(json.encode(element), _ENTRY)
    if type(element.get("entry")) != "string" or not _is_string_list(element.get("wanted_by", [])):
        return None, '{} is not of the form {{"entry": "hashicorp/random:~> 3.1.0", "wanted_by": ["main.tf: ~> 3.1"]}}'.format(
            json.encode(element),
        )
    unknown = sorted([name for name in element if name not in ("entry", "wanted_by")])
    if unknown:
        return None, "{} has more than entry and wanted_by: {}".format(json.encode(element), ", ".join(unknown))
    return struct(text = element["entry"], wanted_by = element.get("wanted_by", [])), None

def parse_mirror_json(text):
    """Reads the content of a `mirror_json` file.

    Args:
        text: the content.

    Returns:
        A pair of the entries, structs of `text` and `wanted_by` (who wants it, empty for one that is written by hand), and an error,
        one of which is None.
    """
    if [hash(c) for c in text[:3].elems()] == _BYTE_ORDER_MARK:
        text = text[3:]
    elements = json.decode(text, default = None)
    if type(elements) != "list":
        return None, "it must hold " + _ENTRY
    entries = []
    for element in elements:
        entry, problem = _read_element(element)
        if problem:
            return None, problem
        entries.append(entry)
    return entries, None

def with_wanted_by(text, wanted_by):
    """A text about an entry, and who wants that entry.

    Args:
        text: the text.
        wanted_by: as `parse_mirror_json` returns it.

    Returns:
        The text, as it is if nobody is known.
    """
    return "{} (wanted by {})".format(text, "; ".join(wanted_by)) if wanted_by else text
