"""GnuTLS's tests of single certificates: tests/hostname-check.c, certs-interesting and cert-tests/cert-sanity.sh.

hostname-check.c has certificates in PEM, and calls that ask for a host, each with what is expected in the `if` behind
it. Keys and digests of these certificates are as old as the test, so that their alternative names are put into new
ones. In certs-interesting a file with `.err` beside it must not be read; the script names files that must not be read
either.
"""

import re

from . import made
from .case import SERVER_AUTH, Case, blocks, objects, parse, validate
from .fields import extensions

PEM = re.compile(r'char (\w+)\[\]\s*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+);')
STEP = re.compile(
    r"data\.data = \(unsigned char \*\) (\w+);"
    r'|gnutls_x509_crt_(check_hostname2?)\(\s*x509,\s*"((?:[^"\\]|\\.)*)"(.*?)\);\s*if \((ret|!ret|ret\s*==\s*0)\)',
    re.S,
)
SCRIPT = re.compile(r"for file in ((?:[\w.-]+|\\\n|\s)+);")


def cases(tests):
    yield from _hosts(tests / "hostname-check.c")
    for file in sorted((tests / "certs-interesting").glob("*.der")):
        is_read = not file.with_suffix(".der.err").exists()
        yield _parsed(file, is_read)
    script = tests / "cert-tests/cert-sanity.sh"
    found = SCRIPT.search(script.read_text()) if script.exists() else None
    for name in found.group(1).replace("\\\n", " ").split() if found else []:
        yield _parsed(script.parent / "data" / name, False)


def _parsed(file, is_read):
    der = (objects(file) or [file.read_bytes()])[0]
    return Case(f"gnutls::parse::{file.name}", "gnutls::parse", is_read, parse(der), ("rfc5280",))


def _hosts(file):
    source = file.read_text() if file.exists() else ""
    certificates = {name: _text(texts) for name, texts in PEM.findall(source)}
    current, number = None, 0
    for name, call, host, flags, condition in STEP.findall(source):
        if name:
            current = name
            continue
        number += 1
        # `if (ret) fail` is a host that must not match.
        yield _host(f"{number} {current} {host}", certificates[current], host, condition != "ret", flags.strip(", "))


def _text(texts):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', texts)).replace("\\n", "\n")


def _host(name, pem, host, is_match, flags):
    leaf, between, root = made.below([])
    names = dict(extensions(blocks(pem)[0][1])).get(made.ALTERNATIVE_NAME)
    if names:
        issuer = made.certificate.intermediate(made.certificate.root())
        leaf = made.with_extension(made.leaf(issuer, []), made.ALTERNATIVE_NAME, names).signed()
    request = validate(
        leaf,
        [root],
        [between],
        time=made.NOW,
        purpose="server",
        eku=[SERVER_AUTH],
        peer_name={"kind": "HOST", "value": host},
    )
    skipped = f"flag {flags}, which no profile has" if flags else ""
    return Case(f"gnutls::host::{name}", "gnutls::host", is_match, request, ("rfc5280",), skipped=skipped)
