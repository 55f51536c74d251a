"""Fields of certificates and lists, as far as suites leave them to be looked up (RFC 5280 §4.1, §5.1)."""

from .dates import seconds
from .der import children


def certificate(der):
    """The fields of a certificate from its serial number on: (tag, content, whole)."""
    return [field for field in children(children(children(der)[0][1])[0][1]) if field[0] != 0xA0]


def revocation_list(der):
    """The fields of a list from its algorithm on."""
    return [field for field in children(children(children(der)[0][1])[0][1]) if field[0] != 0x02]


def validity(der):
    """The first and the last second of a certificate."""
    return tuple(seconds(tag, content) for tag, content, _ in children(certificate(der)[3][1]))


def extensions(der):
    """(OID, DER) of each extension, in their order."""
    wrapped = next((content for tag, content, _ in certificate(der) if tag == 0xA3), None)
    if wrapped is None:
        return []
    return [(dotted(children(content)[0][1]), whole) for _, content, whole in children(children(wrapped)[0][1])]


def dotted(content):
    """An object identifier in numbers."""
    arcs, value = [], 0
    for octet in content:
        value = value << 7 | octet & 0x7F
        if not octet & 0x80:
            arcs, value = arcs + [value], 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, [first, arcs[0] - 40 * first, *arcs[1:]]))
