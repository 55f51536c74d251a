"""Keys, and signatures and their algorithms, changed before or after signing (RFC 5280 §4.1.1, §4.1.2.7)."""

from . import der
from .certificate import SUBJECT_KEY
from .der import integer, null, octets, oid, sequence, tlv
from .fields import both, field
from .keys import key


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
    **{
        f"RSA {what}": lambda c, s, make=make: setattr(c, "spki", make())
        for what, make in {
            "exponent 1": lambda: _rsa_public(_modulus(), 1),
            "exponent 3": lambda: _rsa_public(_modulus(), 3),
            "exponent 0": lambda: _rsa_public(_modulus(), 0),
            "exponent even": lambda: _rsa_public(_modulus(), 65536),
            "exponent huge": lambda: _rsa_public(_modulus(), (1 << 200) + 1),
            "modulus even": lambda: _rsa_public(_modulus() + 1, 65537),
            "modulus negative": lambda: _rsa_public(-_modulus(), 65537),
            "modulus of 2,047 bits": lambda: _rsa_public(_modulus() >> 1 | 1, 65537),
            "modulus of 512 bits": lambda: _rsa_public(_modulus() >> 1536 | 1, 65537),
        }.items()
    },
    "unique identifiers": field("unique_identifiers", tlv(0x81, b"\x00\x01") + tlv(0x82, b"\x00\x02")),
}


def _flipped(signature):
    return der.bits(signature[:-1] + bytes([signature[-1] ^ 1]))


def _sign_with(digest):
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
    "signed over SHA-1": _sign_with("sha1"),
    "signed over SHA-512": _sign_with("sha512"),
    "signed over SHA-224": _sign_with("sha224"),
    **{
        f"signature {what}": field("change_signature", change)
        for what, change in {
            "flipped": _flipped,
            "empty": lambda s: der.bits(b""),
            "missing": lambda s: b"",
            "truncated": lambda s: der.bits(s[:-1]),
            "with trailing octet": lambda s: der.bits(s + b"\x00"),
            "with unused bits": lambda s: tlv(3, b"\x04" + s),
            "twice": lambda s: der.bits(s) * 2,
            "of zeros": lambda s: der.bits(sequence(integer(0), integer(0))),
            "of ones": lambda s: der.bits(sequence(integer(1), integer(1))),
            "as octets": lambda s: octets(s),
        }.items()
    },
    "outer algorithm differs": _algorithm("outer_algorithm", sequence(oid("1.2.840.10045.4.3.3"))),
    "outer algorithm with NULL": _algorithm("outer_algorithm", sequence(ECDSA256, null())),
    "outer algorithm of RSA without NULL": _without_null,
    "both algorithms with NULL": _algorithm("inner_algorithm", sequence(ECDSA256, null())),
    "inner algorithm differs": both(
        _algorithm("inner_algorithm", sequence(oid("1.2.840.10045.4.3.3"))),
        _algorithm("outer_algorithm", sequence(ECDSA256)),
    ),
    "algorithm unknown": _algorithm("inner_algorithm", sequence(oid("1.2.3.4"))),
    "algorithm empty": _algorithm("inner_algorithm", sequence()),
    "trailing octet behind the certificate": field("change_whole", lambda whole: whole + b"\x00"),
    "length not minimal": field("change_whole", lambda whole: whole[:1] + b"\x83\x00" + whole[2:4] + whole[4:]),
    "indefinite length": field("change_whole", lambda whole: whole[:1] + b"\x80" + whole[4:] + b"\x00\x00"),
}
