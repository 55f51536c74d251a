"""Every field of a certificate changed, and the certificate signed again by the right key: one rule is under test.

A mutation is a name and a function that changes a certificate before it is signed. `*_MUTATIONS` are tables; what
needs a choice takes it from the random source it is given.
"""
from . import der
from .certificate import (
    ALTERNATIVE_NAME, AUTHORITY_KEY, BASIC_CONSTRAINTS, DAY, EXTENDED_KEY_USAGE, KEY_USAGE, NOW, SUBJECT_KEY, name)
from .der import boolean, context, integer, named_bits, null, octets, oid, sequence, set_of, text, tlv
from .keys import key


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
    f"serial {what}": field("serial", value) for what, value in {
        "zero": integer(0), "negative": integer(-5), "20 octets": integer((1 << 158) + 1),
        "21 octets": integer((1 << 166) + 1), "not minimal": tlv(2, b"\x00\x01"), "empty": tlv(2), "missing": b"",
        "enumerated": tlv(10, b"\x01"), "large": integer((1 << 2000) + 1)}.items()
}

TIME_MUTATIONS = {
    "expired": both(field("not_before", der.time(NOW - 20 * DAY)), field("not_after", der.time(NOW - 1))),
    "ends now": field("not_after", der.time(NOW)),
    "ends a second from now": field("not_after", der.time(NOW + 1)),
    "begins now": field("not_before", der.time(NOW)),
    "begins in a second": field("not_before", der.time(NOW + 1)),
    "ends before it begins": both(field("not_before", der.time(NOW + DAY)), field("not_after", der.time(NOW - DAY))),
    "lives one second": both(field("not_before", der.time(NOW)), field("not_after", der.time(NOW))),
    **{f"notAfter {what}": field("not_after", value) for what, value in {
        "without seconds": _utc("2701010000Z"), "with an offset": _utc("270101000000+0000"),
        "with a negative offset": _utc("270101000000-0500"), "without Z": _utc("270101000000"),
        "second 60": _utc("270101000060Z"), "month 13": _utc("271301000000Z"), "day 0": _utc("270100000000Z"),
        "February 30": _utc("270230000000Z"), "hour 24": _utc("270101240000Z"), "empty": _utc(""),
        "UTCTime of 1950": _utc("500101000000Z"), "UTCTime of 1949": _utc("490101000000Z"),
        "GeneralizedTime before 2050": _generalized("20270101000000Z"),
        "with fractions": _generalized("20270101000000.5Z"), "year 9999": _generalized("99991231235959Z"),
        "year 0000": _generalized("00000101000000Z"), "letters": _utc("27010a000000Z"),
        "trailing octet": _utc("270101000000Z\x00"), "as text": text("270101000000Z"), "missing": b""}.items()},
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
    "issuer other": _rename, "issuer empty": field("issuer", sequence()), "issuer no sequence": field("issuer", null()),
    "issuer printable": _issuer_as(der.PRINTABLE), "issuer T61": _issuer_as(der.T61), "issuer BMP": _issuer_as(der.BMP),
    "issuer other case": _issuer_text(bytes.upper), "issuer extra spaces": _issuer_text(lambda t: b" " + t + b"  "),
    "issuer inner spaces": _issuer_text(lambda t: t.replace(b" ", b"   ")),
    "issuer invalid UTF-8": _issuer_text(lambda t: t + b"\xff"), "issuer NUL": _issuer_text(lambda t: t + b"\x00x"),
    "issuer reversed": _reversed_issuer, "issuer shortened": _shortened_issuer,
    "subject empty": field("subject", sequence()),
    "subject same as issuer": lambda certificate, source: setattr(certificate, "subject", certificate.issuer),
    **{f"subject {what}": field("subject", value) for what, value in {
        "with another host": name("other.example.org"), "with an address": name("192.0.2.1"),
        "with a text": name("Gateway 2.0"), "with a number": name("node-7.1234"), "invalid UTF-8": sequence(set_of(
            sequence(oid("2.5.4.3"), tlv(der.UTF8, b"www\xff")))), "empty text": name(""),
        "empty set": sequence(tlv(der.SET)), "multi-valued": sequence(set_of(
            sequence(oid("2.5.4.3"), text("a")), sequence(oid("2.5.4.10"), text("b")))),
        "attribute without value": sequence(set_of(sequence(oid("2.5.4.3")))),
        "value is an integer": sequence(set_of(sequence(oid("2.5.4.3"), integer(5)))),
        "printable with an asterisk": name("*.example.com", tag=der.PRINTABLE)}.items()},
}


def _kind(kind):
    """Another kind of key; whoever it signs for signs with it."""
    def apply(certificate, source):
        certificate.key = key(f"other {kind}", kind)
        certificate.spki = certificate.key.spki
        if certificate.get(SUBJECT_KEY):
            certificate.put(SUBJECT_KEY, octets(certificate.key.identifier))
    return apply


def _spki(change):
    def apply(certificate, source):
        algorithm, bits = (whole for _, _, whole in der.children(der.children(certificate.spki)[0][1]))
        certificate.spki = sequence(*change(algorithm, bits))
    return apply


def _rsa_public(modulus, exponent):
    algorithm = sequence(oid("1.2.840.113549.1.1.1"), null())
    return sequence(algorithm, der.bits(sequence(integer(modulus), integer(exponent))))


def _modulus(kind="RSA-2048"):
    return key("modulus", kind).private.public_key().public_numbers().n


P256 = sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7"))
KEY_MUTATIONS = {
    **{f"key {kind}": _kind(kind) for kind in ("RSA-2048", "RSA-1024", "P-384", "P-521", "P-224", "Ed25519")},
    "key parameters missing": _spki(lambda a, b: (sequence(oid("1.2.840.10045.2.1")), b)),
    "key parameters NULL": _spki(lambda a, b: (sequence(oid("1.2.840.10045.2.1"), null()), b)),
    "key of an unknown kind": _spki(lambda a, b: (sequence(oid("1.2.3.4.5")), b)),
    "key of another curve": _spki(lambda a, b: (sequence(oid("1.2.840.10045.2.1"), oid("1.3.132.0.34")), b)),
    "key for ECDH alone": _spki(lambda a, b: (sequence(oid("1.3.132.1.12"), oid("1.2.840.10045.3.1.7")), b)),
    "key with unused bits": _spki(lambda a, b: (a, tlv(3, b"\x01" + b[3:]))),
    "key empty": _spki(lambda a, b: (a, der.bits(b""))),
    "key not on the curve": _spki(lambda a, b: (a, der.bits(b"\x04" + b"\x01" * 64))),
    "key at infinity": _spki(lambda a, b: (a, der.bits(b"\x00"))),
    "key with trailing octet": _spki(lambda a, b: (a, tlv(3, der.children(b)[0][1] + b"\x00"))),
    **{f"RSA {what}": lambda c, s, make=make: setattr(c, "spki", make()) for what, make in {
        "exponent 1": lambda: _rsa_public(_modulus(), 1), "exponent 3": lambda: _rsa_public(_modulus(), 3),
        "exponent 0": lambda: _rsa_public(_modulus(), 0), "exponent even": lambda: _rsa_public(_modulus(), 65536),
        "exponent huge": lambda: _rsa_public(_modulus(), (1 << 200) + 1),
        "modulus even": lambda: _rsa_public(_modulus() + 1, 65537),
        "modulus negative": lambda: _rsa_public(-_modulus(), 65537),
        "modulus of 2,047 bits": lambda: _rsa_public(_modulus() >> 1 | 1, 65537),
        "modulus of 512 bits": lambda: _rsa_public(_modulus() >> 1536 | 1, 65537)}.items()},
    "unique identifiers": field("unique_identifiers", tlv(0x81, b"\x00\x01") + tlv(0x82, b"\x00\x02")),
}


def _flipped(signature):
    return der.bits(signature[:-1] + bytes([signature[-1] ^ 1]))


def _sign_with(kind, digest="sha256"):
    def apply(certificate, source):
        certificate.digest = digest
    return apply


def _foreign_key(certificate, source):
    stranger = key("stranger", certificate.signing_key.kind)
    if certificate.inner_algorithm is None:
        certificate.inner_algorithm = certificate.signing_key.algorithm(certificate.digest)
    certificate.signing_key = stranger


def _algorithm(which, value):
    return lambda certificate, source: setattr(certificate, which, value)


def _without_null(certificate, source):
    """RSA's algorithm without parameters in the unsigned field alone (RFC 4055 §2.1); nothing for other keys."""
    if certificate.signing_key.kind.startswith("RSA"):
        certificate.outer_algorithm = sequence(oid("1.2.840.113549.1.1.11"))


ECDSA256 = oid("1.2.840.10045.4.3.2")
SIGNATURE_MUTATIONS = {
    "signed by a stranger": _foreign_key,
    "signed over SHA-1": _sign_with(None, "sha1"), "signed over SHA-512": _sign_with(None, "sha512"),
    "signed over SHA-224": _sign_with(None, "sha224"),
    **{f"signature {what}": field("change_signature", change) for what, change in {
        "flipped": _flipped, "empty": lambda s: der.bits(b""), "missing": lambda s: b"",
        "truncated": lambda s: der.bits(s[:-1]), "with trailing octet": lambda s: der.bits(s + b"\x00"),
        "with unused bits": lambda s: tlv(3, b"\x04" + s), "twice": lambda s: der.bits(s) * 2,
        "of zeros": lambda s: der.bits(sequence(integer(0), integer(0))),
        "of ones": lambda s: der.bits(sequence(integer(1), integer(1))),
        "as octets": lambda s: octets(s)}.items()},
    "outer algorithm differs": _algorithm("outer_algorithm", sequence(oid("1.2.840.10045.4.3.3"))),
    "outer algorithm with NULL": _algorithm("outer_algorithm", sequence(ECDSA256, null())),
    "outer algorithm of RSA without NULL": _without_null,
    "both algorithms with NULL": _algorithm("inner_algorithm", sequence(ECDSA256, null())),
    "inner algorithm differs": both(_algorithm("inner_algorithm", sequence(oid("1.2.840.10045.4.3.3"))),
                                    _algorithm("outer_algorithm", sequence(ECDSA256))),
    "algorithm unknown": _algorithm("inner_algorithm", sequence(oid("1.2.3.4"))),
    "algorithm empty": _algorithm("inner_algorithm", sequence()),
    "trailing octet behind the certificate": field("change_whole", lambda whole: whole + b"\x00"),
    "length not minimal": field("change_whole", lambda whole: whole[:1] + b"\x83\x00" + whole[2:4] + whole[4:]),
    "indefinite length": field("change_whole", lambda whole: whole[:1] + b"\x80" + whole[4:] + b"\x00\x00"),
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


EVERY = {"basicConstraints": BASIC_CONSTRAINTS, "keyUsage": KEY_USAGE, "extKeyUsage": EXTENDED_KEY_USAGE,
         "subjectAltName": ALTERNATIVE_NAME, "authorityKeyIdentifier": AUTHORITY_KEY, "subjectKeyIdentifier": SUBJECT_KEY}
FORM_MUTATIONS = {
    f"{label} {what}": change(kind) for label, kind in EVERY.items() for what, change in {
        "missing": extension, "other criticality": _flip_criticality, "twice": _twice,
        "empty": lambda kind: _value(kind, lambda v: b""), "NULL": lambda kind: _value(kind, lambda v: null()),
        "trailing octet": lambda kind: _value(kind, lambda v: v + b"\x00"),
        "truncated": lambda kind: _value(kind, lambda v: v[:-1]),
        "other tag": lambda kind: _value(kind, lambda v: bytes([v[0] ^ 1]) + v[1:] if v else v),
        "FALSE written out": lambda kind: lambda c, s: c.get(kind) and setattr(c.get(kind), "critical", boolean(False)),
        "criticality 1": lambda kind: lambda c, s: c.get(kind) and setattr(c.get(kind), "critical", tlv(1, b"\x01")),
    }.items()
}
FORM_MUTATIONS["extensions reversed"] = lambda c, s: c.extensions.reverse()
