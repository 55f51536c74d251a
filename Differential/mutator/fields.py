"""Every field of a certificate changed, and the certificate signed again by the right key: one rule is under test.

A mutation is a name and a function that changes a certificate before it is signed. `*_MUTATIONS` are tables; what
needs a choice takes it from the random source it is given.
"""

from . import der
from .certificate import (
    ALTERNATIVE_NAME,
    AUTHORITY_KEY,
    BASIC_CONSTRAINTS,
    DAY,
    EXTENDED_KEY_USAGE,
    KEY_USAGE,
    NOW,
    SUBJECT_KEY,
    name,
)
from .der import boolean, context, integer, null, oid, sequence, set_of, text, tlv


def field(attribute, value):
    """Sets a field to some DER."""
    return lambda certificate, source: setattr(certificate, attribute, value)


def extension(kind, value=None, critical=None):
    """Sets an extension's value or criticality; without either, removes it."""
    return lambda certificate, source: certificate.put(kind, value, critical)


def both(*mutations):
    def apply(certificate, source):
        for mutation in mutations:
            mutation(certificate, source)

    return apply


def _utc(value):
    return tlv(der.UTC_TIME, value.encode())


def _generalized(value):
    return tlv(der.GENERALIZED_TIME, value.encode())


def _no_extensions(certificate, source):
    certificate.extensions = []


VERSION_MUTATIONS = {
    "version 1": both(field("version", b""), _no_extensions),
    "version 1 written out": both(field("version", context(0, integer(0))), _no_extensions),
    "version 1 with extensions": field("version", b""),
    "version 2": both(field("version", context(0, integer(1))), _no_extensions),
    "version 2 with extensions": field("version", context(0, integer(1))),
    "version 4": field("version", context(0, integer(3))),
    "version negative": field("version", context(0, integer(-1))),
    "version twice": field("version", context(0, integer(2)) * 2),
    "no extensions": _no_extensions,
}

SERIAL_MUTATIONS = {
    f"serial {what}": field("serial", value)
    for what, value in {
        "zero": integer(0),
        "negative": integer(-5),
        "20 octets": integer((1 << 158) + 1),
        "21 octets": integer((1 << 166) + 1),
        "not minimal": tlv(2, b"\x00\x01"),
        "empty": tlv(2),
        "missing": b"",
        "enumerated": tlv(10, b"\x01"),
        "large": integer((1 << 2000) + 1),
    }.items()
}

TIME_MUTATIONS = {
    "expired": both(field("not_before", der.time(NOW - 20 * DAY)), field("not_after", der.time(NOW - 1))),
    "ends now": field("not_after", der.time(NOW)),
    "ends a second from now": field("not_after", der.time(NOW + 1)),
    "begins now": field("not_before", der.time(NOW)),
    "begins in a second": field("not_before", der.time(NOW + 1)),
    "ends before it begins": both(field("not_before", der.time(NOW + DAY)), field("not_after", der.time(NOW - DAY))),
    "lives one second": both(field("not_before", der.time(NOW)), field("not_after", der.time(NOW))),
    **{
        f"notAfter {what}": field("not_after", value)
        for what, value in {
            "without seconds": _utc("2701010000Z"),
            "with an offset": _utc("270101000000+0000"),
            "with a negative offset": _utc("270101000000-0500"),
            "without Z": _utc("270101000000"),
            "second 60": _utc("270101000060Z"),
            "month 13": _utc("271301000000Z"),
            "day 0": _utc("270100000000Z"),
            "February 30": _utc("270230000000Z"),
            "hour 24": _utc("270101240000Z"),
            "empty": _utc(""),
            "UTCTime of 1950": _utc("500101000000Z"),
            "UTCTime of 1949": _utc("490101000000Z"),
            "GeneralizedTime before 2050": _generalized("20270101000000Z"),
            "with fractions": _generalized("20270101000000.5Z"),
            "year 9999": _generalized("99991231235959Z"),
            "year 0000": _generalized("00000101000000Z"),
            "letters": _utc("27010a000000Z"),
            "trailing octet": _utc("270101000000Z\x00"),
            "as text": text("270101000000Z"),
            "missing": b"",
        }.items()
    },
}


def _rename(certificate, source):
    certificate.issuer = name("Somebody else")


def _issuer_as(tag):
    def apply(certificate, source):
        node = der.Node.parse(certificate.issuer)
        for _, item in node.walk():
            if item.tag in (der.UTF8, der.PRINTABLE):
                item.tag, item.content = tag, item.content.decode().encode("utf-16-be" if tag == der.BMP else "utf-8")
        certificate.issuer = node.encode()

    return apply


def _issuer_text(change):
    def apply(certificate, source):
        node = der.Node.parse(certificate.issuer)
        for _, item in node.walk():
            if item.tag == der.UTF8:
                item.content = change(item.content)
        certificate.issuer = node.encode()

    return apply


def _reversed_issuer(certificate, source):
    node = der.Node.parse(certificate.issuer)
    node.nodes.reverse()
    certificate.issuer = node.encode()


def _shortened_issuer(certificate, source):
    node = der.Node.parse(certificate.issuer)
    node.nodes = node.nodes[1:]
    certificate.issuer = node.encode()


NAME_MUTATIONS = {
    "issuer other": _rename,
    "issuer empty": field("issuer", sequence()),
    "issuer no sequence": field("issuer", null()),
    "issuer printable": _issuer_as(der.PRINTABLE),
    "issuer T61": _issuer_as(der.T61),
    "issuer BMP": _issuer_as(der.BMP),
    "issuer other case": _issuer_text(bytes.upper),
    "issuer extra spaces": _issuer_text(lambda t: b" " + t + b"  "),
    "issuer inner spaces": _issuer_text(lambda t: t.replace(b" ", b"   ")),
    "issuer invalid UTF-8": _issuer_text(lambda t: t + b"\xff"),
    "issuer NUL": _issuer_text(lambda t: t + b"\x00x"),
    "issuer reversed": _reversed_issuer,
    "issuer shortened": _shortened_issuer,
    "subject empty": field("subject", sequence()),
    "subject same as issuer": lambda certificate, source: setattr(certificate, "subject", certificate.issuer),
    **{
        f"subject {what}": field("subject", value)
        for what, value in {
            "with another host": name("other.example.org"),
            "with an address": name("192.0.2.1"),
            "with a text": name("Gateway 2.0"),
            "with a number": name("node-7.1234"),
            "invalid UTF-8": sequence(set_of(sequence(oid("2.5.4.3"), tlv(der.UTF8, b"www\xff")))),
            "empty text": name(""),
            "empty set": sequence(tlv(der.SET)),
            "multi-valued": sequence(set_of(sequence(oid("2.5.4.3"), text("a")), sequence(oid("2.5.4.10"), text("b")))),
            "attribute without value": sequence(set_of(sequence(oid("2.5.4.3")))),
            "value is an integer": sequence(set_of(sequence(oid("2.5.4.3"), integer(5)))),
            "printable with an asterisk": name("*.example.com", tag=der.PRINTABLE),
        }.items()
    },
}


def _flip_criticality(kind):
    def apply(certificate, source):
        found = certificate.get(kind)
        if found:
            found.critical = not found.critical

    return apply


def _value(kind, change):
    def apply(certificate, source):
        found = certificate.get(kind)
        if found:
            found.value = change(found.value)

    return apply


def _twice(kind):
    def apply(certificate, source):
        found = certificate.get(kind)
        if found:
            certificate.extensions.append(found)

    return apply


EVERY = {
    "basicConstraints": BASIC_CONSTRAINTS,
    "keyUsage": KEY_USAGE,
    "extKeyUsage": EXTENDED_KEY_USAGE,
    "subjectAltName": ALTERNATIVE_NAME,
    "authorityKeyIdentifier": AUTHORITY_KEY,
    "subjectKeyIdentifier": SUBJECT_KEY,
}
FORM_MUTATIONS = {
    f"{label} {what}": change(kind)
    for label, kind in EVERY.items()
    for what, change in {
        "missing": extension,
        "other criticality": _flip_criticality,
        "twice": _twice,
        "empty": lambda kind: _value(kind, lambda v: b""),
        "NULL": lambda kind: _value(kind, lambda v: null()),
        "trailing octet": lambda kind: _value(kind, lambda v: v + b"\x00"),
        "truncated": lambda kind: _value(kind, lambda v: v[:-1]),
        "other tag": lambda kind: _value(kind, lambda v: bytes([v[0] ^ 1]) + v[1:] if v else v),
        "FALSE written out": lambda kind: lambda c, s: c.get(kind) and setattr(c.get(kind), "critical", boolean(False)),
        "criticality 1": lambda kind: lambda c, s: c.get(kind) and setattr(c.get(kind), "critical", tlv(1, b"\x01")),
    }.items()
}
FORM_MUTATIONS["extensions reversed"] = lambda c, s: c.extensions.reverse()
