"""Writes and takes apart DER (X.690), also DER that is wrong on purpose."""

from datetime import datetime, timedelta, timezone

INTEGER, BIT_STRING, OCTET_STRING, NULL, UTF8, PRINTABLE, T61, IA5, BMP = 2, 3, 4, 5, 12, 19, 20, 22, 30
UTC_TIME, GENERALIZED_TIME, SEQUENCE, SET = 23, 24, 0x30, 0x31


def tlv(tag, *contents):
    """One element; the length is written in the fewest octets."""
    content = b"".join(contents)
    return bytes([tag]) + length(len(content)) + content


def length(count):
    if count < 0x80:
        return bytes([count])
    octets = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(octets)]) + octets


def sequence(*contents):
    return tlv(SEQUENCE, *contents)


def set_of(*contents):
    return tlv(SET, *sorted(contents))


def context(number, *contents, constructed=True):
    """A context-specific tag."""
    return tlv((0xA0 if constructed else 0x80) | number, *contents)


def integer(value):
    count = value.bit_length() // 8 + 1
    return tlv(INTEGER, value.to_bytes(count, "big", signed=True))


def boolean(value):
    return tlv(1, b"\xff" if value else b"\x00")


def null():
    return tlv(NULL)


def octets(content):
    return tlv(OCTET_STRING, content)


def bits(content, unused=0):
    return tlv(BIT_STRING, bytes([unused]), content)


def named_bits(*positions):
    """A named bit list: no trailing zero bits (X.690 §11.2.2)."""
    if not positions:
        return bits(b"")
    count = max(positions) + 1
    value = sum(1 << (count - 1 - position) for position in set(positions))
    unused = -count % 8
    return bits((value << unused).to_bytes((count + 7) // 8, "big"), unused)


def oid(text):
    first, second, *rest = (int(part) for part in text.split("."))
    encoded = b""
    for arc in [first * 40 + second, *rest]:
        group = [arc & 0x7F]
        while arc := arc >> 7:
            group.append(0x80 | arc & 0x7F)
        encoded += bytes(reversed(group))
    return tlv(6, encoded)


def text(value, tag=UTF8):
    return tlv(tag, value.encode("utf-16-be" if tag == BMP else "latin-1" if tag in (IA5, T61) else "utf-8"))


def moment(seconds):
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)


def time(seconds):
    """UTCTime until 2049, GeneralizedTime from 2050 on (RFC 5280 §4.1.2.5)."""
    date = moment(seconds)
    if 1950 <= date.year < 2050:
        return tlv(UTC_TIME, date.strftime("%y%m%d%H%M%SZ").encode())
    return generalized_time(seconds)


def generalized_time(seconds):
    date = moment(seconds)
    return tlv(GENERALIZED_TIME, f"{date.year:04}{date:%m%d%H%M%S}Z".encode())


def children(data):
    """The elements in a row of elements: [(tag, content, whole)]; raises ValueError where they are not well-formed."""
    found, position = [], 0
    while position < len(data):
        start = position
        tag, count = data[position], data[position + 1] if position + 1 < len(data) else None
        position += 2
        if count is None or tag & 0x1F == 0x1F:
            raise ValueError("not an element")
        if count & 0x80:
            size = count & 0x7F
            count = int.from_bytes(data[position : position + size], "big")
            position += size
        if position + count > len(data):
            raise ValueError("truncated")
        found.append((tag, data[position : position + count], data[start : position + count]))
        position += count
    return found


class Node:
    """An element whose children may be changed; lengths follow when it is written."""

    def __init__(self, tag, content=b"", nodes=None):
        self.tag, self.content, self.nodes = tag, content, nodes

    @classmethod
    def parse(cls, data):
        [(tag, content, _)] = children(data)
        nodes = [cls.parse(whole) for _, _, whole in children(content)] if tag & 0x20 else None
        return cls(tag, content, nodes)

    def encode(self):
        return tlv(self.tag, self.content if self.nodes is None else b"".join(node.encode() for node in self.nodes))

    def walk(self, path=()):
        """Every element with the numbers that lead to it."""
        yield path, self
        for number, node in enumerate(self.nodes or []):
            yield from node.walk(path + (number,))
