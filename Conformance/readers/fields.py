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
