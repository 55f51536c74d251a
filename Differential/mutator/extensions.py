"""Values of extensions, right, odd and wrong (RFC 5280 §4.2, RFC 7633, CA/Browser Forum BR 7.1)."""

from . import der
from .certificate import (
    ALTERNATIVE_NAME,
    ANY_USAGE,
    AUTHORITY_KEY,
    BASIC_CONSTRAINTS,
    CLIENT_AUTH,
    DISTRIBUTION_POINTS,
    EMAIL_PROTECTION,
    EXTENDED_KEY_USAGE,
    INHIBIT_ANY_POLICY,
    KEY_USAGE,
    NAME_CONSTRAINTS,
    NO_CHECK,
    OCSP_SIGNING,
    POLICIES,
    POLICY_CONSTRAINTS,
    POLICY_MAPPINGS,
    SERVER_AUTH,
    SUBJECT_KEY,
    dns,
    name,
    usages,
)
from .der import boolean, context, integer, named_bits, null, octets, oid, sequence, text, tlv
from .fields import extension

BASIC = {
    "cA": sequence(boolean(True)),
    "no cA": sequence(),
    "cA FALSE written out": sequence(boolean(False)),
    "cA is 1": sequence(tlv(1, b"\x01")),
    "path length 0": sequence(boolean(True), integer(0)),
    "path length 1": sequence(boolean(True), integer(1)),
    "path length negative": sequence(boolean(True), integer(-1)),
    "path length huge": sequence(boolean(True), integer(1 << 70)),
    "path length without cA": sequence(integer(0)),
    "path length not minimal": sequence(boolean(True), tlv(2, b"\x00\x00")),
    "more behind it": sequence(boolean(True), integer(3), integer(4)),
    "cA of two octets": sequence(tlv(1, b"\xff\xff")),
}
USAGE = {
    **{f"bit {bit} alone": named_bits(bit) for bit in range(9)},
    "no bits": named_bits(),
    "signature and keyCertSign": named_bits(0, 5),
    "all bits": named_bits(*range(9)),
    "bits without padding": tlv(3, b"\x00\x80"),
    "padding set": tlv(3, b"\x01\x87"),
    "all zero": tlv(3, b"\x07\x00"),
    "10 bits": named_bits(0, 5, 6, 9),
    "three octets": tlv(3, b"\x00\x86\x00\x01"),
    "empty string": tlv(3),
    "unused 8": tlv(3, b"\x08\x80"),
    "as octets": tlv(4, b"\x07\x80"),
}
EXTENDED = {
    "client": usages(CLIENT_AUTH),
    "any": usages(ANY_USAGE),
    "server and any": usages(SERVER_AUTH, ANY_USAGE),
    "email": usages(EMAIL_PROTECTION),
    "OCSP signing": usages(OCSP_SIGNING),
    "empty list": sequence(),
    "server and OCSP signing": usages(SERVER_AUTH, OCSP_SIGNING),
    "server twice": usages(SERVER_AUTH, SERVER_AUTH),
    "server gated crypto": usages("1.3.6.1.4.1.311.10.3.3"),
    "step-up": usages("2.16.840.1.113730.4.1"),
    "server": usages(SERVER_AUTH),
    "no identifier": sequence(integer(1)),
    "server and client": usages(SERVER_AUTH, CLIENT_AUTH),
    "one identifier": oid(SERVER_AUTH),
}
IPV4 = bytes([192, 0, 2, 1])
NAMES = {
    what: sequence(*names)
    for what, names in {
        "empty list": [],
        "other host": [dns("other.example.org")],
        "wildcard": [dns("*.example.com")],
        "wildcard of a suffix": [dns("*.com")],
        "wildcard alone": [dns("*")],
        "partial wildcard": [dns("w*.example.com")],
        "inner wildcard": [dns("www.*.com")],
        "two wildcards": [dns("*.*.com")],
        "upper case": [dns("WWW.EXAMPLE.COM")],
        "trailing dot": [dns("www.example.com.")],
        "leading dot": [dns(".example.com")],
        "NUL": [dns(b"www.example.com\x00.evil.org")],
        "space": [dns(" www.example.com")],
        "empty name": [dns("")],
        "empty name beside": [dns("www.example.com"), dns("")],
        "not ASCII": [dns("www.example.com"), dns(b"\xff.example.com")],
        "underscore beside": [dns("www.example.com"), dns("a_b.example.com")],
        "bad A-label beside": [dns("www.example.com"), dns("xn--a.example.com")],
        "address as a name": [dns("www.example.com"), dns("192.0.2.1")],
        "address of 5 octets": [dns("www.example.com"), tlv(0x87, IPV4 + b"\x01")],
        "address of no octets": [dns("www.example.com"), tlv(0x87)],
        "address": [tlv(0x87, IPV4)],
        "mail only": [tlv(0x81, b"a@example.com")],
        "mail beside": [dns("www.example.com"), tlv(0x81, b"not a mailbox")],
        "URI only": [tlv(0x86, b"https://www.example.com/")],
        "URI beside": [dns("www.example.com"), tlv(0x86, b"::")],
        "unknown form": [dns("www.example.com"), tlv(0x8F, b"x")],
        "long label": [dns("www.example.com"), dns("a" * 64 + ".example.com")],
        "long name": [dns("www.example.com"), dns("a." * 150 + "com")],
        "other name": [dns("www.example.com"), context(0, oid("1.2.3"), context(0, text("x")))],
        "other name without value": [dns("www.example.com"), context(0, oid("1.2.3"))],
        "directory name": [dns("www.example.com"), context(4, name("x"))],
        "a name is a sequence": [tlv(0xA2, dns("www.example.com"))],
        "300 names": [dns(f"h{number}.example.com") for number in range(300)] + [dns("www.example.com")],
    }.items()
}


def policy(*identifiers, qualifier=b""):
    return sequence(*(sequence(oid(identifier), qualifier) for identifier in identifiers))


def constraints(permitted=(), excluded=(), tail=b""):
    trees = [
        context(number, *(sequence(item, tail) for item in items))
        for number, items in ((0, permitted), (1, excluded))
        if items
    ]
    return sequence(*trees)


QUALIFIER = sequence(sequence(oid("1.2.3.4"), text("x")))
CPS = sequence(sequence(oid("1.3.6.1.5.5.7.2.1"), text("https://example.com/cps", der.IA5)))
POLICY_VALUES = {
    "one": policy("2.23.140.1.2.1"),
    "twice the same": policy("2.23.140.1.2.1", "2.23.140.1.2.1"),
    "any": policy("2.5.29.32.0"),
    "empty list": sequence(),
    "qualifier unknown": policy("1.2.3", qualifier=QUALIFIER),
    "statement": policy("1.2.3", qualifier=CPS),
    "any twice": policy("2.5.29.32.0", "2.5.29.32.0"),
    "qualifiers empty": policy("1.2.3", qualifier=sequence()),
    "no identifier": sequence(sequence(integer(1))),
}
CONSTRAINT_VALUES = {
    "permits the host": constraints([dns("example.com")]),
    "permits another": constraints([dns("example.org")]),
    "excludes the host": constraints(excluded=[dns("example.com")]),
    "empty": sequence(),
    "permits nothing": sequence(context(0)),
    "leading dot": constraints([dns(".example.com")]),
    "excludes all": constraints(excluded=[dns("")]),
    "minimum 1": constraints([dns("example.com")], tail=tlv(0x80, b"\x01")),
    "minimum 0 written out": constraints([dns("example.com")], tail=tlv(0x80, b"\x00")),
    "maximum": constraints([dns("example.com")], tail=tlv(0x81, b"\x01")),
    "permits an unknown form": constraints([tlv(0x88, oid("1.2.3")[2:])]),
    "address of 3 octets": constraints([tlv(0x87, b"\x0a\x00\x00")]),
    "address with holes": constraints([tlv(0x87, b"\x0a\x00\x00\x00\xff\x00\xff\x00")]),
    "other tag": sequence(context(2, sequence(dns("example.com")))),
}
# Extensions that path validation does not process: critical, they must make it refuse (RFC 5280 §4.2).
UNPROCESSED = {
    "unknown": ("1.2.3.4.5.6", null()),
    "netscapeCertType": ("2.16.840.1.113730.1.1", tlv(3, b"\x07\x80")),
    "privateKeyUsagePeriod": ("2.5.29.16", sequence(tlv(0x81, b"20250101000000Z"))),
    "issuerAltName": ("2.5.29.18", sequence(dns("ca.example.com"))),
    "qcStatements": ("1.3.6.1.5.5.7.1.3", sequence(sequence(oid("0.4.0.1862.1.1")))),
    "TLS features": ("1.3.6.1.5.5.7.1.24", sequence(integer(5))),
    "no check": (NO_CHECK, null()),
    "authority information": (
        "1.3.6.1.5.5.7.1.1",
        sequence(sequence(oid("1.3.6.1.5.5.7.48.1"), tlv(0x86, b"http://ocsp.example.com/"))),
    ),
    "subject information": (
        "1.3.6.1.5.5.7.1.11",
        sequence(sequence(oid("1.3.6.1.5.5.7.48.5"), tlv(0x86, b"http://example.com/"))),
    ),
    "subject directory attributes": ("2.5.29.9", sequence(sequence(oid("2.5.4.3"), der.set_of(text("x"))))),
    "distribution points": (
        DISTRIBUTION_POINTS,
        sequence(sequence(context(0, context(0, tlv(0x86, b"http://crl.example.com/c.crl"))))),
    ),
    "freshest CRL": (
        "2.5.29.46",
        sequence(sequence(context(0, context(0, tlv(0x86, b"http://crl.example.com/d.crl"))))),
    ),
    "poison": ("1.3.6.1.4.1.11129.2.4.3", null()),
    "timestamps": ("1.3.6.1.4.1.11129.2.4.2", octets(b"\x00\x00")),
    "Apple's": ("1.2.840.113635.100.6.1.1", null()),
    "Entrust's": ("1.2.840.113533.7.65.0", sequence()),
    "Microsoft template": ("1.3.6.1.4.1.311.21.7", sequence(oid("1.2.3"))),
    "proxy": ("1.3.6.1.5.5.7.1.14", sequence(sequence(oid("1.3.6.1.5.5.7.21.1")))),
}

VALUE_MUTATIONS = {
    **{f"basicConstraints {what}": extension(BASIC_CONSTRAINTS, value, True) for what, value in BASIC.items()},
    **{f"keyUsage {what}": extension(KEY_USAGE, value, True) for what, value in USAGE.items()},
    **{f"extKeyUsage {what}": extension(EXTENDED_KEY_USAGE, value) for what, value in EXTENDED.items()},
    **{f"subjectAltName {what}": extension(ALTERNATIVE_NAME, value) for what, value in NAMES.items()},
    **{f"certificatePolicies {what}": extension(POLICIES, value, False) for what, value in POLICY_VALUES.items()},
    **{
        f"critical certificatePolicies {what}": extension(POLICIES, value, True)
        for what, value in POLICY_VALUES.items()
    },
    **{
        f"nameConstraints {what}": extension(NAME_CONSTRAINTS, value, True) for what, value in CONSTRAINT_VALUES.items()
    },
    **{f"extension {what}": extension(kind, value, False) for what, (kind, value) in UNPROCESSED.items()},
    **{f"critical extension {what}": extension(kind, value, True) for what, (kind, value) in UNPROCESSED.items()},
    **{
        f"authorityKeyIdentifier {what}": extension(AUTHORITY_KEY, value)
        for what, value in {
            "of another key": sequence(tlv(0x80, b"\x01" * 20)),
            "without a key": sequence(),
            "with issuer and serial": sequence(context(1, context(4, name("x"))), tlv(0x82, b"\x01")),
            "empty key": sequence(tlv(0x80)),
        }.items()
    },
    **{
        f"subjectKeyIdentifier {what}": extension(SUBJECT_KEY, value)
        for what, value in {
            "other": octets(b"\x02" * 20),
            "of no octets": octets(b""),
            "long": octets(b"\x03" * 300),
        }.items()
    },
    **{
        f"policyMappings {what}": extension(POLICY_MAPPINGS, sequence(sequence(oid(a), oid(b))), True)
        for what, a, b in (
            ("from any", "2.5.29.32.0", "1.2.3"),
            ("to any", "1.2.3", "2.5.29.32.0"),
            ("plain", "1.2.3", "1.2.4"),
        )
    },
    "policyMappings empty": extension(POLICY_MAPPINGS, sequence(), True),
    **{
        f"policyConstraints {what}": extension(POLICY_CONSTRAINTS, value, True)
        for what, value in {
            "explicit 0": sequence(tlv(0x80, b"\x00")),
            "explicit 5": sequence(tlv(0x80, b"\x05")),
            "empty": sequence(),
            "mapping 0": sequence(tlv(0x81, b"\x00")),
            "negative": sequence(tlv(0x80, b"\xff")),
        }.items()
    },
    "inhibitAnyPolicy 0": extension(INHIBIT_ANY_POLICY, integer(0), True),
    "inhibitAnyPolicy negative": extension(INHIBIT_ANY_POLICY, integer(-1), True),
}
