"""Mbed TLS's X.509 tests (github.com/Mbed-TLS/mbedtls): tests/suites/test_suite_x509parse.data with tests/data_files.

A test is a line with its title, perhaps one of dependencies, and one of arguments divided by colons. `x509_verify` and
`mbedtls_x509_crt_verify_chain` are paths, `x509parse_crt` is a certificate in hexadecimal that must or must not be
read. All certificates of the authorities' file are trusted; the moment is the release's day, when Mbed TLS ran them.
Its lists count where there is one of a certificate's issuer, and then the list has to be good.
"""

import pathlib
import re

from .case import Case, objects, parse, text, validate
from .dates import utc
from .der import children
from .fields import certificate, revocation_list

VERIFY = ("x509_verify", "mbedtls_x509_crt_verify_chain")
FIELD = re.compile(r'"((?:[^"\\]|\\.)*)"|([^:"]+)')
RELEASE = re.compile(r"^= .* released (\d+)-(\d+)-(\d+)", re.M)
# Settings of Mbed TLS that take SHA-1 and keys of 1,024 bits.
LEGACY = ("compat", "all")


def cases(path, time):
    path = pathlib.Path(path)
    suite = path / "tests/suites/test_suite_x509parse.data"
    if not suite.exists():
        raise SystemExit(f"{path} has no {suite.relative_to(path)}: not the sources of Mbed TLS")
    moment = _release(path) or time
    for title, name, fields in _tests(suite.read_text()):
        if name == "x509parse_crt":
            request = parse(bytes.fromhex(fields[0]))
            yield Case(f"mbedtls::parse::{title}", "mbedtls::parse", fields[-1] == "0", request, ("rfc5280",))
        elif name in VERIFY:
            read = _verify if name == "x509_verify" else _chain
            yield read(path / "tests", f"mbedtls::verify::{title}", fields, moment)


def _release(path):
    found = RELEASE.search((path / "ChangeLog").read_text()) if (path / "ChangeLog").exists() else None
    return utc(*map(int, found.groups())) if found else None


def _tests(suite):
    """(title, function, arguments); a title that comes again gets a number."""
    seen = {}
    for block in re.split(r"\n\s*\n", suite):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if len(lines) < 2:
            continue
        name, _, rest = lines[-1].partition(":")
        seen[lines[0]] = seen.get(lines[0], 0) + 1
        title = lines[0] if seen[lines[0]] == 1 else f"{lines[0]} ({seen[lines[0]]})"
        yield title, name, [quoted if plain == "" else plain for quoted, plain in FIELD.findall(rest)]


def _verify(tests, identifier, fields, moment):
    chain, authorities, lists, host, result, _, settings, callback = fields
    skipped = "a callback decides" if callback != "NULL" else _unasked(settings, result)
    leaf, *others = objects(tests / chain)
    lists = objects(tests / lists)
    issuer, listed = _words(certificate(leaf)[2]), [_words(revocation_list(item)[1]) for item in lists]
    request = validate(
        leaf,
        objects(tests / authorities),
        others,
        time=moment,
        purpose="any" if host == "NULL" else "server",
        peer_name=None if host == "NULL" else {"kind": "DNS", "value": host},
        crls=[text(item) for item in lists],
        revocation="hard" if issuer in listed else "soft",
    )
    return Case(identifier, "mbedtls::verify", result == "0", request, (_profile(settings),), skipped=skipped)


def _chain(tests, identifier, fields, moment):
    files, authorities, _, result, settings, fatal = fields
    skipped = "a callback decides" if fatal != "0" else _unasked(settings, result)
    leaf, *others = [item for file in files.split() for item in objects(tests / file)]
    request = validate(leaf, objects(tests / authorities), others, time=moment)
    return Case(identifier, "mbedtls::verify", result == "0", request, (_profile(settings),), skipped=skipped)


def _unasked(settings, result):
    """What stricter settings accept must be accepted without them; what they refuse says nothing."""
    is_stricter = settings not in ("", *LEGACY)
    return f"settings {settings}, which no profile has" if is_stricter and result != "0" else ""


def _profile(settings):
    return "legacy" if settings in LEGACY else "rfc5280"


def _words(name):
    """The values of a distinguished name, whatever kind of string each is."""
    pairs = [children(pair) for _, relative, _ in children(name[1]) for _, pair, _ in children(relative)]
    return [(kind, value.lower()) for (_, kind, _), (_, value, _) in pairs]
