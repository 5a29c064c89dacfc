"""Foreign text in messages. Pure."""

visibility(["//tf/..."])

def shown(text, most = 120):
    """Makes foreign text fit for messages: it may hold anything that a terminal understands, and be of any length.

    Args:
        text: a string.
        most: how many characters are shown.

    Returns:
        The text in quotes; characters that are not printable ASCII as octal escapes.
    """
    characters = []
    for c in text[:most].elems():
        code = hash(c)
        printable = code >= 0x20 and code < 0x7f
        characters.append(c if printable else "\\{}{}{}".format(code // 64, code // 8 % 8, code % 8))
    return '"{}{}"'.format("".join(characters), "…" if len(text) > most else "")
