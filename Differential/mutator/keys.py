"""Keys that are the same in every run: they are made from their names."""

import functools
import hashlib
import math
import random
import warnings

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

from . import der

warnings.filterwarnings("ignore")

CURVES = {"P-256": ec.SECP256R1, "P-384": ec.SECP384R1, "P-521": ec.SECP521R1, "P-224": ec.SECP224R1}
HASHES = {
    "md5": hashes.MD5,
    "sha1": hashes.SHA1,
    "sha224": hashes.SHA224,
    "sha256": hashes.SHA256,
    "sha384": hashes.SHA384,
    "sha512": hashes.SHA512,
}
PSS = "pss-sha256"  # RSASSA-PSS over SHA-256 with a salt of 32 octets (RFC 4055 §3.1).
RSA_OIDS = {"md5": 4, "sha1": 5, "sha224": 14, "sha256": 11, "sha384": 12, "sha512": 13}
ECDSA_OIDS = {
    "sha1": "1.2.840.10045.4.1",
    "sha224": "1.2.840.10045.4.3.1",
    "sha256": "1.2.840.10045.4.3.2",
    "sha384": "1.2.840.10045.4.3.3",
    "sha512": "1.2.840.10045.4.3.4",
}


class Key:
    """A key pair that signs; `kind` is P-256, P-384, P-521, P-224, Ed25519, RSA-BITS or RSA-BITS e=EXPONENT."""

    def __init__(self, label, kind="P-256"):
        self.label, self.kind = label, kind
        self.private = _private(label, kind)
        self.spki = self.private.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.bits = der.children(der.children(self.spki)[0][1])[1][1][1:]

    @property
    def identifier(self):
        """RFC 5280 §4.2.1.2, method (1)."""
        return hashlib.sha1(self.bits).digest()

    def algorithm(self, digest="sha256"):
        """The AlgorithmIdentifier of this key's signatures."""
        if digest == PSS:
            return _pss_algorithm()
        if self.kind.startswith("RSA"):
            return der.sequence(der.oid(f"1.2.840.113549.1.1.{RSA_OIDS[digest]}"), der.null())
        if self.kind == "Ed25519":
            return der.sequence(der.oid("1.3.101.112"))
        return der.sequence(der.oid(ECDSA_OIDS[digest]))

    def sign(self, message, digest="sha256"):
        """A signature that is the same each time."""
        if digest == PSS:
            return _pss_signature(self.private.private_numbers(), message)
        if self.kind.startswith("RSA"):
            return self.private.sign(message, padding.PKCS1v15(), HASHES[digest]())
        if self.kind == "Ed25519":
            return self.private.sign(message)
        return self.private.sign(message, ec.ECDSA(HASHES[digest](), deterministic_signing=True))


def _pss_signature(numbers, message):
    """RSASSA-PSS with a salt that follows from the message (RFC 8017 §8.1.1, §9.1.1)."""
    n = numbers.public_numbers.n
    count = (n.bit_length() + 6) // 8
    salt = hashlib.sha256(b"salt" + message).digest()
    digest = hashlib.sha256(bytes(8) + hashlib.sha256(message).digest() + salt).digest()
    block = bytes(count - 66) + b"\x01" + salt
    mask = b"".join(hashlib.sha256(digest + bytes([0, 0, 0, at])).digest() for at in range(len(block) // 32 + 1))
    masked = int.from_bytes(block, "big") ^ int.from_bytes(mask[: len(block)], "big")
    masked &= (1 << len(block) * 8 - (count * 8 - n.bit_length() + 1)) - 1
    encoded = masked.to_bytes(len(block), "big") + digest + b"\xbc"
    return pow(int.from_bytes(encoded, "big"), numbers.d, n).to_bytes((n.bit_length() + 7) // 8, "big")


def _pss_algorithm():
    digest = der.sequence(der.oid("2.16.840.1.101.3.4.2.1"), der.null())
    mask = der.sequence(der.oid("1.2.840.113549.1.1.8"), digest)
    settings = (digest, mask, der.integer(32))
    parameters = der.sequence(*(der.context(number, value) for number, value in enumerate(settings)))
    return der.sequence(der.oid("1.2.840.113549.1.1.10"), parameters)


@functools.lru_cache(maxsize=None)
def key(label, kind="P-256"):
    return Key(label, kind)


def _private(label, kind):
    seed = hashlib.sha512(f"{kind} {label}".encode()).digest()
    if kind == "Ed25519":
        return ed25519.Ed25519PrivateKey.from_private_bytes(seed[:32])
    if kind.startswith("RSA-"):
        size, _, exponent = kind[4:].partition(" e=")
        return _rsa(random.Random(seed), int(size), int(exponent or 65537))
    return ec.derive_private_key(int.from_bytes(seed, "big") % (1 << CURVES[kind].key_size - 1) + 1, CURVES[kind]())


def _rsa(source, size, exponent):
    while True:
        p, q = _prime(source, size // 2), _prime(source, size - size // 2)
        if p != q and (p * q).bit_length() == size and math.gcd(exponent, (p - 1) * (q - 1)) == 1:
            break
    d = pow(exponent, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(exponent, p * q)
    return rsa.RSAPrivateNumbers(p, q, d, d % (p - 1), d % (q - 1), pow(q, -1, p), public).private_key()


def _prime(source, size):
    small = [n for n in range(3, 2000, 2) if all(n % m for m in range(3, int(n**0.5) + 1, 2))]
    while True:
        candidate = source.getrandbits(size) | 3 << size - 2 | 1
        if all(candidate % prime for prime in small) and all(
            pow(base, candidate - 1, candidate) == 1 for base in (2, 3, 5, 7)
        ):
            return candidate
