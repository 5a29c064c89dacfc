"""Files as URLs, for Bazel's downloader: a download is checked against its hash and put into the repository cache, a copy is not."""

visibility(["//tf/..."])

# What Java's decoder or its parser of URLs would take for something else.
_ESCAPES = {
    " ": "%20",
    "\"": "%22",
    "#": "%23",
    "%": "%25",
    "<": "%3C",
    ">": "%3E",
    "?": "%3F",
    "[": "%5B",
    "\\": "/",
    "]": "%5D",
    "^": "%5E",
    "`": "%60",
    "{": "%7B",
    "|": "%7C",
    "}": "%7D",
}

def file_url(path):
    """The URL of a file.

    Args:
        path: an absolute path.

    Returns:
        Text.
    """
    escaped = "".join([_ESCAPES.get(c, c) for c in str(path).elems()])
    return "file://{}{}".format("" if escaped.startswith("/") else "/", escaped)
