"""Odd certificates of pyca (cryptography_vectors of PyPI: the folder cryptography_vectors/x509, without PKITS_data).

The folder has no table. What pyca itself makes of a file is the expectation. A file that it cannot load is no
certificate. Each extension is put into a server's certificate, and into an authority's, that is good otherwise: with
one that pyca cannot read, neither is trusted. Whether the others are is left open.
"""

import pathlib
import warnings

from .case import SERVER_AUTH, Case, objects, parse, validate
from .der import children
from .fields import certificate as fields
from .fields import extensions
from .made import NOW, certificate, with_extension

PROFILES = ("apple", "webpki", "rfc5280", "rfc5280-strict", "legacy")


def cases(path, time):
    folder = pathlib.Path(path)
    folder = folder / "cryptography_vectors/x509" if (folder / "cryptography_vectors/x509").is_dir() else folder
    for file in sorted([*folder.rglob("*.pem"), *folder.rglob("*.der")]):
        if "PKITS_data" in file.parts:
            continue
        for number, der in enumerate(item for item in objects(file) if _is_certificate(item)):
            name = f"{file.relative_to(folder)}" + (f" {number + 1}" if number else "")
            yield from _file(name, der)


def _is_certificate(der):
    """Requests, lists, responses and keys have no row of an algorithm, names, two times and a key."""
    try:
        return len(children(fields(der)[3][1])) == 2 and len(fields(der)) >= 6
    except (ValueError, IndexError):
        return False


def _file(name, der):
    yield Case(f"pyca::parse::{name}", "pyca::parse", _loads(der), parse(der), ("apple",))
    for kind, encoded in extensions(der):
        for place, (chain, odd) in _chains(kind, encoded).items():
            leaf, between, root = chain
            is_read = _reads(odd)
            request = validate(
                leaf,
                [root],
                [between],
                time=NOW,
                purpose="server",
                eku=[SERVER_AUTH],
                peer_name={"kind": "DNS", "value": "www.example.com"},
            )
            identifier = f"pyca::extension::{name} {kind} of {place}"
            yield Case(identifier, "pyca::extension", is_read, request, PROFILES, is_open=is_read)


def _chains(kind, encoded):
    """{place: ((leaf, intermediate, root), the odd one)}."""
    root = certificate.root()
    between = certificate.intermediate(root)
    leaf = certificate.server(between)
    good = leaf.signed(), between.signed(), root.signed()
    odd_leaf, odd_between = (with_extension(made, kind, encoded).signed() for made in (leaf, between))
    return {
        "a server": ((odd_leaf, *good[1:]), odd_leaf),
        "an authority": ((good[0], odd_between, good[2]), odd_between),
    }


def _loaded(der):
    from cryptography import x509

    return x509.load_der_x509_certificate(der)


def _tried(step):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            step()
        except Exception:  # pyca raises what its parser and OpenSSL raise, of many kinds.
            return False
    return True


def _loads(der):
    return _tried(lambda: _loaded(der))


def _reads(der):
    return _tried(lambda: _loaded(der).extensions)
