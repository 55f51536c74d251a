"""Faults of RSA's signatures: padding of PKCS #1 v1.5 (RFC 8017 §8.2.2, §9.2) and of RSASSA-PSS (§9.1)."""

import hashlib

from .made import der

DIGESTS = {"sha1": "1.3.14.3.2.26", "sha256": "2.16.840.1.101.3.4.2.1", "sha384": "2.16.840.1.101.3.4.2.2"}
MGF1 = "1.2.840.113549.1.1.8"


def _modulus(key):
    return key.private.public_key().public_numbers().n


def _power(key, block):
    """The private operation on a block, whatever it holds."""
    numbers = key.private.private_numbers()
    return pow(int.from_bytes(block, "big"), numbers.d, _modulus(key)).to_bytes(256, "big")


def _info(digest="sha256", parameters=None, value=None, message=b"", kind=None, more=b""):
    """DigestInfo, each part of which may be another."""
    value = hashlib.new(digest, message).digest() if value is None else value
    algorithm = der.sequence(der.oid(kind or DIGESTS[digest]), der.null() if parameters is None else parameters)
    return der.sequence(algorithm, der.octets(value), more)


def _padded(info, size=256, begin=b"\x00\x01", filler=b"\xff", end=b"\x00", behind=b""):
    room = size - len(begin) - len(end) - len(info) - len(behind)
    return begin + filler * room + end + info + behind


def _block(change):
    """The private operation on what `change` makes of the message."""
    return lambda key, message: _power(key, change(message))


def _with_info(**parts):
    return _block(lambda message: _padded(_info(message=message, **parts)))


def _with_padding(**parts):
    return _block(lambda message: _padded(_info(message=message), **parts))


def _signature(change):
    return lambda key, message: change(key.sign(message, "sha256"), _modulus(key))


def _number(change):
    return _signature(lambda signature, n: change(int.from_bytes(signature, "big"), n))


def _bytes(value, size=256):
    return value.to_bytes(size, "big")


def _long(element):
    return element[:1] + b"\x81" + element[1:]


def cube_root(key, message):
    """Padding of eight octets, and a cube without a remainder that counts: no private key (CVE-2006-4339)."""
    block = b"\x00\x01" + b"\xff" * 8 + b"\x00" + _info(message=message)
    target = int.from_bytes(block + b"\xff" * (256 - len(block)), "big")
    low, high = 0, 1 << 700
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= target else (low, middle - 1)
    return _bytes(low)


PKCS1 = {
    "control": (lambda key, message: key.sign(message, "sha256"), True),
    "control of the padding": (_with_info(), True),
    # The digest and its algorithm.
    "NULL missing": _with_info(parameters=b""),
    "NULL with a long length": _with_info(parameters=b"\x05\x81\x00"),
    "NULL with an octet": _with_info(parameters=b"\x05\x01\x00"),
    "an octet string for NULL": _with_info(parameters=b"\x04\x00"),
    "parameters behind NULL": _with_info(parameters=der.null() + der.octets(b"x")),
    "parameters of much garbage": _with_info(parameters=der.octets(b"x" * 100)),
    "garbage behind the digest": _with_info(more=der.octets(b"x" * 20)),
    "a number behind the digest": _with_info(more=b"\x02\x01\x00"),
    "an empty digest": _with_info(value=b""),
    "a digest without its last octet": _block(
        lambda message: _padded(_info(value=hashlib.sha256(message).digest()[:-1]))
    ),
    "a digest with a zero behind": _block(
        lambda message: _padded(_info(value=hashlib.sha256(message).digest() + b"\x00"))
    ),
    "a digest of another message": _block(lambda message: _padded(_info(message=message + b"\x00"))),
    "SHA-1": _with_info(digest="sha1"),
    "SHA-384": _with_info(digest="sha384"),
    "SHA-256 under the OID of SHA-384": _with_info(kind=DIGESTS["sha384"]),
    "SHA-256 under the OID of SHA-1": _with_info(kind=DIGESTS["sha1"]),
    "SHA-256 under the OID of the signature": _with_info(kind="1.2.840.113549.1.1.11"),
    "SHA-256 under no OID there is": _with_info(kind="2.16.840.1.101.3.4.2.99"),
    "a digest alone": _block(lambda message: _padded(hashlib.sha256(message).digest())),
    "a digest as octets": _block(lambda message: _padded(der.octets(hashlib.sha256(message).digest()))),
    "a long length of the sequence": _block(lambda message: _padded(_long(_info(message=message)))),
    "an indefinite length of the sequence": _block(
        lambda message: _padded(b"\x30\x80" + _info(message=message)[2:] + b"\x00\x00")
    ),
    "a long length of the digest": _block(
        lambda message: _padded(
            der.sequence(
                der.sequence(der.oid(DIGESTS["sha256"]), der.null()),
                _long(der.octets(hashlib.sha256(message).digest())),
            )
        )
    ),
    "a set for the sequence": _block(lambda message: _padded(b"\x31" + _info(message=message)[1:])),
    # The padding.
    "block type 0": _with_padding(begin=b"\x00\x00"),
    "block type 2": _with_padding(begin=b"\x00\x02"),
    "block type 1 with zeros": _with_padding(filler=b"\x00"),
    "a filler of 01": _with_padding(filler=b"\x01"),
    "no separator": _with_padding(end=b""),
    "a separator of one": _with_padding(end=b"\x01"),
    "two separators": _with_padding(end=b"\x00\x00"),
    "a first octet of one": _with_padding(begin=b"\x01\x01"),
    "one changed octet of the filler": _block(
        lambda message: (lambda block: block[:9] + b"\xfe" + block[10:])(_padded(_info(message=message)))
    ),
    "a high bit changed in the filler": _block(
        lambda message: (lambda block: block[:2] + b"\x7f" + block[3:])(_padded(_info(message=message)))
    ),
    "no filler, garbage behind": _block(
        lambda message: b"\x00\x01\x00" + _info(message=message) + bytes(253 - len(_info(message=message)))
    ),
    "eight octets of filler, zeros behind": _block(
        lambda message: (b"\x00\x01" + b"\xff" * 8 + b"\x00" + _info(message=message)).ljust(256, b"\x00")
    ),
    "garbage behind the padding": _with_padding(behind=b"garbage" * 4),
    "one octet behind the padding": _with_padding(behind=b"\x00"),
    "the digest before the filler": _block(
        lambda message: b"\x00\x01" + _info(message=message) + b"\x00" + b"\xff" * (253 - len(_info(message=message)))
    ),
    "no padding": _block(lambda message: _info(message=message)),
    "the message itself": _block(lambda message: _padded(message[:200])),
    # The number.
    "zero": _number(lambda s, n: bytes(256)),
    "one": _number(lambda s, n: _bytes(1)),
    "two": _number(lambda s, n: _bytes(2)),
    "the modulus": _number(lambda s, n: _bytes(n)),
    "the modulus less one": _number(lambda s, n: _bytes(n - 1)),
    "the modulus plus one": _number(lambda s, n: _bytes(n + 1)),
    "plus the modulus": _number(lambda s, n: _bytes(s + n, 257)),
    "less from the modulus": _number(lambda s, n: _bytes(n - s)),
    "a leading zero": _signature(lambda signature, n: b"\x00" + signature),
    "a trailing zero": _signature(lambda signature, n: signature + b"\x00"),
    "truncated": _signature(lambda signature, n: signature[:-1]),
    "without its first octet": _signature(lambda signature, n: signature[1:]),
    "empty": lambda key, message: b"",
    "twice": _signature(lambda signature, n: signature * 2),
    "one bit changed": _signature(lambda signature, n: signature[:-1] + bytes([signature[-1] ^ 1])),
    "in reverse": _signature(lambda signature, n: signature[::-1]),
    "as a number of DER": _number(lambda s, n: der.integer(s)),
    "as octets of DER": _signature(lambda signature, n: der.octets(signature)),
    "RSASSA-PSS": lambda key, message: _power(key, _pss(message)),
}


def _mask(seed, size, digest="sha256"):
    """MGF1 (RFC 8017 §B.2.1)."""
    blocks = (hashlib.new(digest, seed + count.to_bytes(4, "big")).digest() for count in range(size))
    found = b""
    while len(found) < size:
        found += next(blocks)
    return found[:size]


def _pss(
    message,
    salt=b"s" * 32,
    digest="sha256",
    mask="sha256",
    trailer=b"\xbc",
    separator=b"\x01",
    filler=0,
    hashed=None,
):
    """The encoded message of RFC 8017 §9.1.1 for a modulus of 2,048 bits, each part of which may be another."""
    hashed = bytes(8) + hashlib.new(digest, message).digest() + salt if hashed is None else hashed
    inner = hashlib.new(digest, hashed)
    size = 256 - inner.digest_size - 1
    block = bytes([filler]) * (size - len(salt) - len(separator)) + separator + salt
    masked = bytearray(a ^ b for a, b in zip(block, _mask(inner.digest(), size, mask)))
    masked[0] &= 0x7F
    return bytes(masked) + inner.digest() + trailer


def pss_algorithm(digest="sha256", mask="sha256", salt=32, trailer=b""):
    """The AlgorithmIdentifier of RFC 4055 §3.1."""
    hashing = der.sequence(der.oid(DIGESTS[digest]), der.null())
    masking = der.sequence(der.oid(MGF1), der.sequence(der.oid(DIGESTS[mask]), der.null()))
    parameters = der.sequence(
        der.context(0, hashing), der.context(1, masking), der.context(2, der.integer(salt)), trailer
    )
    return der.sequence(der.oid("1.2.840.113549.1.1.10"), parameters)



def _encoded(**parts):
    return _block(lambda message: _pss(message, **parts))


PSS = {
    "control": (_encoded(), True),
    "a trailer of CC": _encoded(trailer=b"\xcc"),
    "a trailer of two octets": _block(lambda message: _pss(message)[1:-1] + b"\x34\xcc"),
    "no separator": _encoded(separator=b"\x00"),
    "a separator of two": _encoded(separator=b"\x02"),
    "a filler of ones": _encoded(filler=0xFF),
    "a salt of another length": _encoded(salt=b"s" * 20),
    "no salt": _encoded(salt=b""),
    "a salt as long as can be": _encoded(salt=b"s" * 222),
    "a mask of SHA-1": _encoded(mask="sha1"),
    "SHA-384": _encoded(digest="sha384", mask="sha384"),
    "SHA-1": _encoded(digest="sha1", mask="sha1"),
    "another message": _block(lambda message: _pss(message + b"\x00")),
    "the digest without its zeros": _block(
        lambda message: _pss(message, hashed=hashlib.sha256(message).digest() + b"s" * 32)
    ),
    "the digest alone": _block(lambda message: _pss(message, hashed=message)),
    "a block of zeros": _block(lambda message: bytes(256)),
    "zeros and the trailer": _block(lambda message: bytes(255) + b"\xbc"),
    "zero": lambda key, message: bytes(256),
    "one": lambda key, message: _bytes(1),
    "the modulus": lambda key, message: _bytes(_modulus(key)),
    "plus the modulus": lambda key, message: _bytes(
        int.from_bytes(_power(key, _pss(message)), "big") + _modulus(key), 257
    ),
    "a leading zero": lambda key, message: b"\x00" + _power(key, _pss(message)),
    "a trailing zero": lambda key, message: _power(key, _pss(message)) + b"\x00",
    "truncated": lambda key, message: _power(key, _pss(message))[:-1],
    "empty": lambda key, message: b"",
    "PKCS #1 v1.5": lambda key, message: key.sign(message, "sha256"),
}
# Signatures that are what their algorithm says: (signature, algorithm).
PSS_SALTED = {
    f"a salt of {size}": (_encoded(salt=b"s" * size), pss_algorithm(salt=size)) for size in (0, 20, 48, 222)
}
PSS_ODD = {
    "a negative salt": (_encoded(), pss_algorithm(salt=-1)),
    "a salt longer than the modulus": (_encoded(), pss_algorithm(salt=223)),
    "a salt of 2^31": (_encoded(), pss_algorithm(salt=1 << 31)),
    "a salt of 2^64 + 32": (_encoded(), pss_algorithm(salt=(1 << 64) + 32)),
    "trailer field 2": (_encoded(), pss_algorithm(trailer=der.context(3, der.integer(2)))),
    "a mask of another digest": (_encoded(mask="sha1"), pss_algorithm(mask="sha1")),
    "SHA-384 under SHA-256": (_encoded(digest="sha384", mask="sha384"), pss_algorithm()),
}
