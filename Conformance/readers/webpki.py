"""The tests of webpki and rustls-webpki: the folder of a crate, or one with several as `librust-…-dev` of Debian has it
(/usr/share/cargo/registry), of each name the last.

The tables in src and tests hold names and whether they match or are names at all; certificates with them are made
here. In tests/tls_server_certs.rs and tests/client_auth.rs `check_cert` judges files beside it; the tests that make
their certificates in Rust are not read.
"""

import ast
import pathlib
import re

from . import made
from .case import CLIENT_AUTH, SERVER_AUTH, Case, validate

NAMES = ("webpki", "rustls-webpki")
CRATE = re.compile(r'^name = "([^"]+)"', re.M)
PROFILES, TABLES = ("rfc5280",), ("apple", "webpki", "rfc5280")
TIME = 0x1FEDF00D
LITERAL = r'b?"(?:[^"\\]|\\.)*"'
TABLE = re.compile(r"(?:const|static) (\w+): &\[.*?\] = &\[(.*?)\n\s*\];", re.S)
ROW = re.compile(rf"\(\s*((?:{LITERAL}\s*,\s*)+)((?:Some|Ok|Err)\([^()]*\)|None|true|false)\s*,?\s*\)", re.S)
COMMENT = re.compile(r"^\s*//.*$|(?<=\),)\s*//.*$", re.M)
CHECK = re.compile(
    r"fn (\w+)\(\) \{\s*let ee = include_bytes!\(\"([^\"]*)\"\);\s*let ca = include_bytes!\(\"([^\"]*)\"\);"
    r"\s*assert_eq!\(\s*check_cert\((.*?)\),\s*(Ok|Err)\(",
    re.S,
)


def cases(path, time):
    crates = {}
    for manifest in sorted([*pathlib.Path(path).glob("Cargo.toml"), *pathlib.Path(path).glob("*/Cargo.toml")]):
        name = CRATE.search(manifest.read_text())
        if name and name.group(1) in NAMES:
            crates[name.group(1)] = manifest.parent
    if not crates:
        raise SystemExit(f"{path} is no crate of {' or '.join(NAMES)}, and has none")
    for name, folder in sorted(crates.items()):
        yield from _tables(name, folder)
        for test, usage in (("tls_server_certs", SERVER_AUTH), ("client_auth", CLIENT_AUTH)):
            yield from _checked(folder / f"tests/{test}.rs", f"{name}::{test}", usage)


def _tables(crate, folder):
    for file in [file for part in ("src", "tests") for file in sorted((folder / part).rglob("*.rs"))]:
        group = "address" if file.stem == "ip_address" else "name"
        for table, rows in TABLE.findall(file.read_text()):
            if (group, table) in MAKERS:
                yield from _table(crate, f"{group}::{table}", MAKERS[group, table], COMMENT.sub("", rows))


def _table(crate, table, make, rows):
    for number, (literals, result) in enumerate(ROW.findall(rows), 1):
        octets = [_octets(literal) for literal in re.findall(LITERAL, literals)]
        spelled = " ".join(ascii(item.decode("latin-1")) for item in octets)
        is_match = result in ("true", "Some(true)", "Ok(true)")
        is_error = result == "None" or result.startswith("Err")
        identifier = f"{crate}::{table} {number} {spelled}"
        yield Case(identifier, f"{crate}::tables", *make(octets, is_match, is_error), TABLES)


def _octets(literal):
    """A literal of Rust, in which NUL is written as a backslash and a zero."""
    value = ast.literal_eval(re.sub(r"\\0", r"\\x00", literal))
    return value if isinstance(value, bytes) else value.encode()


def _server(chain, host=None):
    leaf, between, root = chain
    name = None if host is None else {"kind": "DNS", "value": host.decode("utf-8", "replace")}
    return validate(leaf, [root], [between], time=made.NOW, purpose="server", eku=[SERVER_AUTH], peer_name=name)


def _reference(octets, is_match, is_error):
    presented, reference = octets
    return is_match, _server(made.below([made.der.tlv(made.DNS, presented)]), reference)


def _validity(octets, is_match, is_error):
    """Whether something is a name at all: the certificate has the same octets, but never a dot at the end."""
    presented = made.der.tlv(made.DNS, octets[0].removesuffix(b"."))
    return is_match, _server(made.below([presented]), octets[0])


def _permitted(octets, is_match, is_error):
    name, base = (made.der.tlv(made.DNS, item) for item in octets)
    return is_match, _server(made.below([name], permitted=[base]))


def _excluded(octets, is_match, is_error):
    name, base = (made.der.tlv(made.DNS, item) for item in octets)
    return not (is_match or is_error), _server(made.below([name], excluded=[base]))


def _network(octets, is_match, is_error):
    presented, *base = (made.ipaddress.ip_address(item.decode()).packed for item in octets)
    tree = made.der.tlv(made.ADDRESS, *base)
    return is_match, _server(made.below([made.der.tlv(made.ADDRESS, presented)], permitted=[tree]))


MAKERS = {
    ("name", "PRESENTED_MATCHES_REFERENCE"): _reference,
    ("name", "DNS_NAME_VALIDITY"): _validity,
    ("name", "IP_ADDRESS_DNS_VALIDITY"): _validity,
    ("name", "PRESENTED_MATCHES_CONSTRAINT"): _permitted,
    ("name", "WILDCARD_CONSTRAINT_CONTAINMENT"): _permitted,
    ("name", "WILDCARD_EXCLUDED_INTERSECTION"): _excluded,
    ("address", "PRESENTED_MATCHES_CONSTRAINT"): _network,
}


def _checked(file, group, usage):
    """The path of a test, without a name and with each name that it lists."""
    for test, leaf, authority, arguments, result in CHECK.findall(file.read_text() if file.exists() else ""):
        ders = [(file.parent / name).read_bytes() for name in (leaf, authority)]
        request = validate(
            ders[0],
            ders[1:],
            time=TIME,
            purpose="server" if usage == SERVER_AUTH else "client",
            eku=[usage],
        )
        yield Case(f"{group}::{test}", group, result == "Ok", request, PROFILES)
        lists = re.findall(r"&\[(.*?)\]", arguments, re.S)[:2]
        for names, is_match in zip(lists, (True, False)):
            for name in re.findall(r'"([^"]*)"', names):
                asked = dict(request, peer_name={"kind": "HOST", "value": name})
                yield Case(f"{group}::{test} {name}", group, result == "Ok" and is_match, asked, PROFILES)
