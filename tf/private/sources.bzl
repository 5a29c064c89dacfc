"""Entries of `mirror`: `[host/]namespace/type[:constraint]`, as written in MODULE.bazel.

Everything recorded about a provider is found again by its name, and Starlark cannot apply IDNA rules. So an entry is taken only in
normal form, which is its own name: ASCII lower case, no port 443, no leading zeros in a port. The tools' further rules about names
(R-ADDR-5, R-ADDR-16) are left to the helper, whose answers arrive as errors of that entry.
"""

load(":exact_version.bzl", "exact_version")

visibility(["//tf/..."])

_DIGITS = "0123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PRINTABLE = _DIGITS + _LETTERS + _LETTERS.upper() + " -_./:+*?@,;=~<>!()[]{}|&%$#'\"\\^`"

def _consists_of(text, allowed):
    return all([c in allowed for c in text.elems()])

def _normal_port(port):
    """A port in canonical decimal, empty for the default port, None if it is none (R-ADDR-10)."""
    if not port or not _consists_of(port, _DIGITS):
        return None
    stripped = port.lstrip("0") or "0"
    if len(stripped) > 5 or int(stripped) > 65535:
        return None
    return "" if stripped == "443" else stripped

def normal_host(host):
    """A host name in normal form.

    Args:
        host: the host name as written.

    Returns:
        The host name, with its port unless that is 443; None if it can be none.
    """
    name, colon, port = host.strip().lower().partition(":")
    if not _consists_of(name, _LETTERS + _DIGITS + "-."):
        return None

    # A trailing dot names another host than none (R-ADDR-12); any other empty label is an error, and must not become a path.
    if name.startswith(".") or ".." in name:
        return None
    if not colon:
        return name
    normal = _normal_port(port)
    if normal == None:
        return None
    return name + (":" + normal if normal else "")

def _normal_part(part, extra = ""):
    part = part.strip().lower()
    return part if part and _consists_of(part, _LETTERS + _DIGITS + "-" + extra) else None

def split_entry(text):
    """Splits an entry into its source and its constraint.

    Args:
        text: the entry as written.

    Returns:
        A pair of strings: what is before the first `:` after the last `/`, and the trimmed rest, None without such a colon.
    """
    colon = text.find(":", text.rfind("/") + 1)
    if colon < 0:
        return text, None
    return text[:colon], text[colon + 1:].strip()

def _check_constraint(text, source, constraint):
    if constraint == "":
        return 'mirror entry "{}": nothing follows the colon. Write "{}" for the newest release.'.format(text, source)
    if constraint == "latest":
        return ('mirror entry "{}": "latest" is no version constraint. ' +
                'Write "{}" for the newest release.').format(text, source)
    return None

def read_source(context, written, default_host, example, suffix = ""):
    """Reads the address of a provider.

    Args:
        context: what errors begin with: where the address is.
        written: the address as written.
        default_host: the host of an address without one, which depends on the tool (R-ADDR-2).
        example: a good one, for errors.
        suffix: what follows the address where it is written, for errors that say what to write.

    Returns:
        A pair of the address and an error, one of which is None. The address is a struct of `host`, `namespace`, `type` and `source`
        (`host/namespace/type`).
    """
    parts = written.split("/")
    if len(parts) == 1 and _normal_part(written):
        return None, '{}: a source has a namespace. Write "hashicorp/{}{}" if you mean that one.'.format(
            context,
            _normal_part(written),
            suffix,
        )
    if len(parts) not in (2, 3):
        return None, '{}: a source is namespace/type or host/namespace/type, found {} parts. Write it like "{}".'.format(
            context,
            len(parts),
            example,
        )
    host = normal_host(parts[0]) if len(parts) == 3 else default_host
    namespace = _normal_part(parts[-2], extra = "_")  # allowed by newer tools (R-ADDR-7); the helper knows which
    type = _normal_part(parts[-1])
    for what, value, found in [
        ("host name", host, parts[0]),
        ("namespace", namespace, parts[-2]),
        ("provider type", type, parts[-1]),
    ]:
        if not value:
            return None, '{}: "{}" is no {}. Write it like "{}".'.format(context, found, what, example)
    normal = "/".join(([host] if len(parts) == 3 else []) + [namespace, type])
    if normal != written:
        return None, '{}: the source is not in normal form. Write "{}{}".'.format(context, normal, suffix)
    return struct(host = host, namespace = namespace, type = type, source = "/".join([host, namespace, type])), None

def read_namespace(context, written):
    """Reads `host/namespace`, which stands for all providers of a namespace.

    Args:
        context: what errors begin with.
        written: the text as written.

    Returns:
        A pair of the text and an error. Both are None if it is no such text, but perhaps an address: of two parts, the first is a host
        only if it has a dot or a port or is `localhost`.
    """
    host, slash, namespace = written.partition("/")
    if not slash or "/" in namespace or not ("." in host or ":" in host or host == "localhost"):
        return None, None
    normal = "{}/{}".format(normal_host(host) or "", _normal_part(namespace, extra = "_") or "")
    if normal.startswith("/") or normal.endswith("/"):
        return None, '{}: this is no host with a namespace. Write it like "registry.acme.dev/acme".'.format(context)
    if normal != written:
        return None, '{}: this is not in normal form. Write "{}".'.format(context, normal)
    return written, None

def parse_entry(text, default_host):
    """Parses one entry of `mirror`.

    Args:
        text: the entry as written.
        default_host: the host of a source without one, which depends on the tool (R-ADDR-2).

    Returns:
        A pair of the entry and an error, one of which is None. The entry is a struct of `text`, `host`, `namespace`, `type`, `source`
        (`host/namespace/type`), `constraint` (trimmed text, None for the newest release), `version` (canonical, of an exact
        constraint, else None), `request` (`version` or `constraint` or "latest": what tells entries of one source apart) and
        `wanted_by` (empty; see `with_wishes`).
    """
    if not _consists_of(text, _PRINTABLE):
        return None, ('mirror entry "{}": only ASCII characters can be used here, since facts are found again by this ' +
                      "very text. Providers with other names cannot be named in MODULE.bazel.").format(text)
    written, constraint = split_entry(text)
    problem = _check_constraint(text, written, constraint)
    if problem:
        return None, problem
    address, problem = read_source(
        'mirror entry "{}"'.format(text),
        written,
        default_host,
        example = "hashicorp/random:~> 3.1.0",
        suffix = "" if constraint == None else ":" + constraint,
    )
    if problem:
        return None, problem
    version = exact_version(constraint) if constraint else None
    return struct(
        text = text,
        host = address.host,
        namespace = address.namespace,
        type = address.type,
        source = address.source,
        constraint = constraint,
        version = version,
        request = version or constraint or "latest",
        wanted_by = [],
    ), None

def with_wishes(entry, wanted_by):
    """An entry, as `parse_entry` returns it, with texts that say who wants it."""
    return struct(
        text = entry.text,
        host = entry.host,
        namespace = entry.namespace,
        type = entry.type,
        source = entry.source,
        constraint = entry.constraint,
        version = entry.version,
        request = entry.request,
        wanted_by = wanted_by,
    )
