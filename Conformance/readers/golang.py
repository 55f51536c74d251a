"""Go's tests of paths (go.dev): src/crypto/x509, verify_test.go and name_constraints_test.go.

verifyTests are certificates in PEM with what is expected of them. The tables of constraints, usages and host names say
how certificates are to be made, which is done here. Go takes a list of usages for one of them; the protocol wants all,
so that lists of several are not asked. The graphs of TestPathBuilding are functions of Go and are not read.
"""

import pathlib
import re

from . import go_literals, made
from .case import CLIENT_AUTH, SERVER_AUTH, Case, blocks, validate
from .made import certificate, der

FOLDER = "src/crypto/x509"
PEM = re.compile(r"^(?:const|var) (\w+) = `(-----BEGIN CERTIFICATE-----.*?)`", re.M | re.S)
USAGES = {
    "ExtKeyUsageServerAuth": SERVER_AUTH,
    "ExtKeyUsageClientAuth": CLIENT_AUTH,
    "ExtKeyUsageEmailProtection": "1.3.6.1.5.5.7.3.4",
    "serverAuth": SERVER_AUTH,
    "clientAuth": CLIENT_AUTH,
    "email": "1.3.6.1.5.5.7.3.4",
    "netscapeSGC": "2.16.840.1.113730.4.1",
    "msSGC": "1.3.6.1.4.1.311.10.3.3",
    "any": "2.5.29.37.0",
    "other": "2.4.1.2.3",
}
ANY = "ExtKeyUsageAny"
KINDS = {"dns": made.DNS, "email": made.MAIL, "uri": made.URI}


def cases(path, time):
    folder = pathlib.Path(path) / FOLDER
    if not (folder / "verify_test.go").exists():
        raise SystemExit(f"{path} has no {FOLDER}/verify_test.go: not the sources of Go")
    source = (folder / "verify_test.go").read_text()
    yield from _verify(source)
    yield from _hosts(_within(source, "TestValidHostname"))
    yield from _usages(_within(source, "TestEKUEnforcement"))
    constraints = (folder / "name_constraints_test.go").read_text()
    yield from _constraints(constraints)
    yield from _bad_names(_within(constraints, "TestBadNamesInConstraints"))


def _within(source, test):
    start = source.index(f"func {test}(")
    return source[start : source.index("\n}\n", start)]


def _asked(usages):
    """(purpose, usages); None where one of several suffices."""
    if ANY in usages:
        return "any", []
    names = [USAGES[usage] for usage in usages or ["ExtKeyUsageServerAuth"]]
    purpose = {SERVER_AUTH: "server", CLIENT_AUTH: "client"}.get(names[0], "any")
    return (purpose, names) if len(names) == 1 else None


def _case(group, name, is_accepted, usages, *profiles, **question):
    asked = _asked(usages)
    identifier = f"golang::{group}::{name}"
    if asked is None:
        skipped = "one of several usages"
        return Case(identifier, f"golang::{group}", is_accepted, {}, profiles, skipped=skipped)
    request = validate(purpose=asked[0], eku=asked[1], **question)
    return Case(identifier, f"golang::{group}", is_accepted, request, profiles)


def _verify(source):
    """Go's chains have SHA-1 and keys of 1,024 bits, for which its test switches them on."""
    certificates = {name: blocks(pem)[0][1] for name, pem in PEM.findall(source)}
    for number, test in enumerate(go_literals.variable(source, "verifyTests"), 1):
        host = test.get("dnsName")
        yield _case(
            "verify",
            f"{number} {test.get('name', '')}".strip(),
            "expectedChains" in test,
            test.get("keyUsages", []),
            "legacy",
            leaf=certificates[test["leaf"]],
            roots=[certificates[name] for name in test["roots"]],
            intermediates=[certificates[name] for name in test.get("intermediates", [])],
            time=test["currentTime"],
            peer_name={"kind": "HOST", "value": host} if host else None,
        )


def _hosts(source):
    """A host that is asked for, and stands in the certificate as it is."""
    for test in go_literals.variable(source, "tests"):
        host = test["host"]
        leaf, between, root = made.below([der.tlv(made.DNS, host.encode())])
        is_valid = bool(test.get("validInput") and test.get("validPattern"))
        yield _case(
            "host",
            ascii(host),
            is_valid,
            [],
            "apple",
            "webpki",
            "rfc5280",
            leaf=leaf,
            roots=[root],
            intermediates=[between],
            time=made.NOW,
            peer_name={"kind": "DNS", "value": host},
        )


def _extended(made_certificate, usages):
    kinds = [USAGES[usage] for usage in usages]
    value = certificate.usages(*kinds) if kinds else None
    return made_certificate.put(certificate.EXTENDED_KEY_USAGE, value, None)


def _usages(source):
    """A chain of authorities and a leaf with extended key usages or none."""

    def kinds(described):
        described = described or {}
        named = list(described.get("EKUs", []))
        return named + ["other"] * len(described.get("Unknown", []))

    for test in go_literals.variable(source, "tests"):
        root = _extended(certificate.root(), kinds(test["root"]))
        above, chain = root, []
        for number, described in enumerate(test["inters"]):
            above = _extended(certificate.intermediate(above, f"level {number}"), kinds(described))
            chain.append(above)
        leaf = _extended(certificate.server(above), kinds(test["leaf"]))
        yield _case(
            "usages",
            test["name"],
            "err" not in test,
            test["verifyEKUs"],
            "rfc5280",
            leaf=leaf.signed(),
            roots=[root.signed()],
            intermediates=[item.signed() for item in chain],
            time=made.NOW,
        )


def _name(text, is_base=False):
    """A name of Go's tables, or the base of a subtree."""
    kind, _, value = text.partition(":")
    if kind == "ip" and is_base:
        network = made.ipaddress.ip_network(value)
        return der.tlv(made.ADDRESS, network.network_address.packed + network.netmask.packed)
    if kind == "ip":
        return made.address(value)
    if kind == "invalidip":
        return der.tlv(made.ADDRESS, bytes.fromhex(value))
    if kind == "unknown":
        return der.tlv(0x89, b"\x01")  # Not a kind of name there is.
    return der.tlv(KINDS[kind], value.encode())


def _constrain(authority, described):
    described = described or {}
    trees = [[_name(item, is_base=True) for item in described.get(part, [])] for part in ("ok", "bad")]
    if any(trees):
        authority.add(made.NAME_CONSTRAINTS, made.constraints(*trees), critical=True)
    return _extended(authority, described.get("ekus", []))


def _constraints(source):
    """Authorities of one level have one name and one key."""
    for number, test in enumerate(go_literals.variable(source, "nameConstraintsTests")):
        roots = [_constrain(certificate.root(), described) for described in test["roots"]]
        above, chain = roots[-1], []
        for level, listed in enumerate(test.get("intermediates", [])):
            made_ones = [
                _constrain(certificate.intermediate(above, f"level {level}", serial=0x2002 + index), described)
                for index, described in enumerate(listed)
            ]
            above, chain = made_ones[-1], chain + made_ones
        described = test["leaf"]
        leaf = made.leaf(above, [_name(item) for item in described.get("sans", [])])
        if "cn" in described:
            leaf.subject = certificate.name(described["cn"])
        leaf = _extended(leaf, described.get("ekus", []))
        yield _case(
            "constraints",
            f"#{number}",
            "expectedError" not in test,
            test.get("requestedEKUs", []),
            "rfc5280",
            leaf=leaf.signed(),
            roots=[item.signed() for item in roots],
            intermediates=[item.signed() for item in chain],
            time=made.NOW,
        )


def _bad_names(source):
    """A subtree that is no name, excluded: whoever passed it over would accept the leaf."""
    names = {"dns": "a.example", "email": "a@a.example", "uri": "https://a.example/"}
    for text, _ in go_literals.variable(source, "badNames"):
        kind = text.partition(":")[0]
        leaf, between, root = made.below([_name(f"{kind}:{names[kind]}")], excluded=[_name(text, is_base=True)])
        yield _case(
            "bad constraints",
            ascii(text),
            False,
            [],
            "rfc5280",
            leaf=leaf,
            roots=[root],
            intermediates=[between],
            time=made.NOW,
        )
