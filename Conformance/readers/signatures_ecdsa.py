"""Faults of ECDSA signatures: values out of range, and encodings other than DER (RFC 3279 §2.2.3, SEC 1 §4.1.4)."""

from .made import der

CURVES = {
    "P-256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "P-384": int("F" * 48 + "C7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973", 16),
    "P-521": int("1" + "F" * 65 + "A51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409", 16),
}


def _order(key):
    return CURVES[key.kind]


def _values(change):
    """A change of r and s, written in DER."""
    return _written(lambda r, s, n: der.sequence(*(der.integer(value) for value in change(r, s, n))))


def _written(change):
    """A change of how r and s are written; `change` has the order as well."""

    def make(key, message):
        ((_, content, _),) = der.children(key.sign(message))
        r, s = (int.from_bytes(value, "big") for _, value, _ in der.children(content))
        return change(r, s, _order(key))

    return make


def _octets(change):
    """A change of the finished signature."""
    return lambda key, message: change(key.sign(message))


def _parts(change):
    """A change of the two integers as they are written."""
    return _written(lambda r, s, n: change(der.integer(r), der.integer(s)))


def _long(element):
    """The length in one octet more than needed."""
    return element[:1] + b"\x81" + element[1:] if element[1] < 0x80 else element[:1] + b"\x82\x00" + element[2:]


def _length(change):
    """Another length of the outer sequence, in the same number of octets."""

    def apply(signature):
        at = 1 if signature[1] < 0x80 else 2
        return signature[:at] + bytes([(signature[at] + change) % 256]) + signature[at + 1 :]

    return apply


def _declared(octets):
    """The outer length replaced by octets."""
    return _parts(lambda r, s: b"\x30" + octets + r + s)


def _padded(element):
    return der.tlv(2, b"\x00" + der.children(element)[0][1])


def _unsigned(value):
    """Without the zero that keeps a high bit from being a sign."""
    return der.tlv(2, value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _sign_lost(r, s, n):
    """Of s and n - s, both of which are good, the larger has the high bit of its first octet."""
    return der.sequence(der.integer(r), _unsigned(max(s, n - s)))


def _fixed(r, s, n):
    size = (n.bit_length() + 7) // 8
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


ECDSA = {
    "control": (_octets(lambda signature: signature), True),
    "s negated, which is as good": (_values(lambda r, s, n: (r, n - s)), True),
    # Values.
    **{
        f"{name}": _values(change)
        for name, change in {
            "r zero": lambda r, s, n: (0, s),
            "s zero": lambda r, s, n: (r, 0),
            "both zero": lambda r, s, n: (0, 0),
            "r one": lambda r, s, n: (1, s),
            "s one": lambda r, s, n: (r, 1),
            "both one": lambda r, s, n: (1, 1),
            "r zero, s one": lambda r, s, n: (0, 1),
            "r one, s zero": lambda r, s, n: (1, 0),
            "r minus one": lambda r, s, n: (-1, s),
            "s minus one": lambda r, s, n: (r, -1),
            "r the order": lambda r, s, n: (n, s),
            "s the order": lambda r, s, n: (r, n),
            "both the order": lambda r, s, n: (n, n),
            "r the order, s one": lambda r, s, n: (n, 1),
            "r the order plus one": lambda r, s, n: (n + 1, 1),
            "r plus the order": lambda r, s, n: (r + n, s),
            "s plus the order": lambda r, s, n: (r, s + n),
            "r minus the order": lambda r, s, n: (r - n, s),
            "s minus the order": lambda r, s, n: (r, s - n),
            "r negative": lambda r, s, n: (-r, s),
            "s negative": lambda r, s, n: (r, -s),
            "both negative": lambda r, s, n: (-r, -s),
            "r negated": lambda r, s, n: (n - r, s),
            "r and s exchanged": lambda r, s, n: (s, r),
            "r twice": lambda r, s, n: (r, r),
            "r changed": lambda r, s, n: (r ^ 1, s),
            "s changed": lambda r, s, n: (r, s ^ 1),
            "r plus a power of two": lambda r, s, n: (r + (1 << 8 * ((n.bit_length() + 7) // 8)), s),
            "s plus a power of two": lambda r, s, n: (r, s + (1 << 8 * ((n.bit_length() + 7) // 8))),
            "r very large": lambda r, s, n: (r + (1 << 8192), s),
            "s without r": lambda r, s, n: (s,),
            "three numbers": lambda r, s, n: (r, s, 0),
            "r and s twice": lambda r, s, n: (r, s, r, s),
        }.items()
    },
    # The sequence.
    "a long length": _octets(_long),
    "a length with a leading zero": _parts(lambda r, s: b"\x30\x83" + len(r + s).to_bytes(3, "big") + r + s),
    "an indefinite length": _parts(lambda r, s: b"\x30\x80" + r + s + b"\x00\x00"),
    "an indefinite length without an end": _parts(lambda r, s: b"\x30\x80" + r + s),
    "a length too large": _octets(_length(1)),
    "a length too small": _octets(_length(-1)),
    "a length of 2^31 - 1": _declared(b"\x84\x7f\xff\xff\xff"),
    "a length of 2^32 - 1": _declared(b"\x84\xff\xff\xff\xff"),
    "a length of 2^64 - 1": _declared(b"\x88" + b"\xff" * 8),
    "a length that overflows 32 bits": _parts(
        lambda r, s: b"\x30\x85\x01" + len(r + s).to_bytes(4, "big") + r + s
    ),
    "a length that overflows 64 bits": _parts(
        lambda r, s: b"\x30\x89\x01" + len(r + s).to_bytes(8, "big") + r + s
    ),
    "a reserved length": _declared(b"\xff"),
    "no length": lambda key, message: b"\x30",
    "an empty sequence": lambda key, message: b"\x30\x00",
    "empty": lambda key, message: b"",
    "a zero octet": lambda key, message: b"\x00",
    "NULL": lambda key, message: b"\x05\x00",
    "a set": _octets(lambda signature: b"\x31" + signature[1:]),
    "a primitive sequence": _octets(lambda signature: b"\x10" + signature[1:]),
    "an octet string": _octets(lambda signature: b"\x04" + signature[1:]),
    "a context tag": _octets(lambda signature: b"\xa0" + signature[1:]),
    "a high tag": _octets(lambda signature: b"\x3f\x10" + signature[1:]),
    "a sequence in a sequence": _octets(der.sequence),
    "a sequence in an octet string": _octets(der.octets),
    "twice": _octets(lambda signature: signature * 2),
    "trailing zeros": _octets(lambda signature: signature + b"\x00\x00"),
    "a trailing octet": _octets(lambda signature: signature + b"\x01"),
    "a trailing NULL": _octets(lambda signature: signature + b"\x05\x00"),
    "leading zeros": _octets(lambda signature: b"\x00\x00" + signature),
    "truncated": _octets(lambda signature: signature[:-1]),
    "halved": _octets(lambda signature: signature[: len(signature) // 2]),
    "one bit changed": _octets(lambda signature: signature[:-1] + bytes([signature[-1] ^ 0x80])),
    "two numbers of fixed length": _written(_fixed),
    # What stands in the sequence.
    "NULL behind s": _parts(lambda r, s: der.sequence(r, s, der.null())),
    "NULL before r": _parts(lambda r, s: der.sequence(der.null(), r, s)),
    "zeros behind s": _parts(lambda r, s: der.sequence(r, s, b"\x00\x00")),
    "an octet behind s": _parts(lambda r, s: der.sequence(r, s, b"\x00")),
    "an empty sequence behind s": _parts(lambda r, s: der.sequence(r, s, der.sequence())),
    "a long length of r": _parts(lambda r, s: der.sequence(_long(r), s)),
    "a long length of s": _parts(lambda r, s: der.sequence(r, _long(s))),
    "an indefinite length of r": _parts(lambda r, s: der.sequence(b"\x22\x80" + r + b"\x00\x00", s)),
    "r too long": _parts(lambda r, s: der.sequence(r[:1] + bytes([r[1] + 1]) + r[2:], s)),
    "s too long": _parts(lambda r, s: der.sequence(r, s[:1] + bytes([s[1] + 1]) + s[2:])),
    "s too short": _parts(lambda r, s: der.sequence(r, s[:1] + bytes([s[1] - 1]) + s[2:])),
    "r of no octets": _parts(lambda r, s: der.sequence(b"\x02\x00", s)),
    "s of no octets": _parts(lambda r, s: der.sequence(r, b"\x02\x00")),
    "r without its first octet": _parts(lambda r, s: der.sequence(der.tlv(2, r[3:]), s)),
    "s without its last octet": _parts(lambda r, s: der.sequence(r, der.tlv(2, s[2:-1]))),
    "a leading zero of r": _parts(lambda r, s: der.sequence(_padded(r), s)),
    "a leading zero of s": _parts(lambda r, s: der.sequence(r, _padded(s))),
    "a trailing zero of r": _parts(lambda r, s: der.sequence(der.tlv(2, r[2:] + b"\x00"), s)),
    "a trailing zero of s": _parts(lambda r, s: der.sequence(r, der.tlv(2, s[2:] + b"\x00"))),
    **{
        f"{name} in place of {part}": _parts(
            lambda r, s, part=part, value=value: der.sequence(*((value, s) if part == "r" else (r, value)))
        )
        for part in "rs"
        for name, value in {
            "NULL": der.null(),
            "TRUE": der.boolean(True),
            "an empty text": der.text(""),
            "an empty sequence": der.sequence(),
            "a sequence": der.sequence(der.integer(0)),
            "a zero octet": b"\x00",
            "REAL": b"\x09\x03\x80\x00\x01",
        }.items()
    },
    **{
        f"r as {name}": _parts(lambda r, s, tag=tag: der.sequence(bytes([tag]) + r[1:], s))
        for name, tag in {"octets": 4, "bits": 3, "ENUMERATED": 10, "context": 0x82, "constructed": 0x22}.items()
    },
    # Another message, digest or key.
    "over SHA-1": lambda key, message: key.sign(message, "sha1"),
    "over SHA-384": lambda key, message: key.sign(message, "sha384"),
    "over another message": lambda key, message: key.sign(message + b"\x00"),
}

# Orders of whole octets alone let a number lose the zero before its high bit.
SIGNS = {"s without the zero of its sign": _written(_sign_lost)}
