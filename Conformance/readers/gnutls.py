"""GnuTLS's chains (gitlab.com/gnutls/gnutls): tests/test-chains.h, arrays of PEM in C and a table that judges them.

A row of the table is { NAME, CHAIN, CA, FLAGS, EXPECTED, PURPOSE, TIME, … }: a chain goes to the first NULL, CHAIN and
CA may begin within an array (`&chain[3]`), and only the first certificate of CA is trusted. EXPECTED is 0 where the
chain is good.
"""

import pathlib
import re

from . import gnutls_files
from .case import SERVER_AUTH, Case, blocks, validate
from .fields import validity

DEFAULT_TIME = 1256803113  # The clock of GnuTLS's own test.
ARRAY = re.compile(r"static const char \*\s*(\w+)\[\]\s*=\s*\{(.*?)\};", re.S)
ELEMENT = re.compile(r'((?:"(?:[^"\\]|\\.)*"\s*)+)|\b(NULL)\b')
TABLE = re.compile(r"\}\s*chains\[\]\s*=\s*\{(.*)\n\};", re.S)
ROW = re.compile(r'\{\s*"((?:[^"\\]|\\.)*)"\s*,([^{}]*)\}', re.S)
PURPOSES = {
    "NULL": ("any", []),
    "GNUTLS_KP_TLS_WWW_SERVER": ("server", [SERVER_AUTH]),
    "GNUTLS_KP_OCSP_SIGNING": ("any", ["1.3.6.1.5.5.7.3.9"]),
}
# Flags under which GnuTLS takes what is refused here whatever is asked.
WEAKENING = ("ALLOW_BROKEN", "ALLOW_SIGN_RSA_MD", "IGNORE_UNKNOWN_CRIT_EXTENSIONS")
STRICTER = (
    "DO_NOT_ALLOW_SAME",
    "DO_NOT_ALLOW_X509_V1",
    "PROFILE_ULTRA",
    "PROFILE_HIGH",
    "PROFILE_SUITEB",
    "PROFILE_LEGACY",
)


def cases(path, time):
    path = pathlib.Path(path)
    source = (path / "tests/test-chains.h" if path.is_dir() else path).read_text()
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    arrays = {name: _elements(body) for name, body in ARRAY.findall(source)}
    table = TABLE.search(source)
    if table is None:
        raise SystemExit(f"{path} has no table of chains")
    rows = re.sub(r"#ifdef ENABLE_GOST.*?#endif", "", table.group(1), flags=re.S)
    for number, (name, fields) in enumerate(ROW.findall(rows), 1):
        yield _case(f"gnutls::{number} {name}", [field.strip() for field in fields.split(",")], arrays)
    if path.is_dir():
        yield from gnutls_files.cases(path / "tests")


def _elements(body):
    """The PEM texts of an array in C; None for NULL."""
    return [
        None if null else "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', texts)).replace("\\n", "\n")
        for texts, null in ELEMENT.findall(body)
    ]


def _from(reference, arrays):
    """The elements from `name` or `&name[n]` to the next NULL."""
    name, index = re.fullmatch(r"&?(\w+)(?:\[(\d+)\])?", reference).groups()
    found = []
    for pem in arrays[name][int(index or 0) :]:
        if pem is None:
            break
        found.append(blocks(pem)[0][1])
    return found


def _case(identifier, fields, arrays):
    chain, authority, flags, expected, purpose, *more = fields
    leaf, *above = _from(chain, arrays)
    anchor = _from(authority, arrays)[0]
    is_accepted = expected == "0"
    kind, usages = PURPOSES.get(purpose, ("any", []))
    moment = int(more[0]) if more and more[0].isdigit() and int(more[0]) else DEFAULT_TIME
    skipped = _skipped(flags, is_accepted)
    if "DISABLE_TIME_CHECKS" in flags:
        moment = _common_time([leaf, *above, anchor])
        skipped = skipped or ("the certificates were never valid together" if moment is None else "")
    request = validate(leaf, [anchor], above, time=moment, purpose=kind, eku=usages)
    profile = "legacy" if "SHA1" in flags or "TIME_CHECKS" in flags else "rfc5280"
    return Case(identifier, "gnutls", is_accepted, request, (profile,), skipped=skipped)


def _skipped(flags, is_accepted):
    weakening = next((flag for flag in WEAKENING if flag in flags), None)
    if weakening and is_accepted:
        return f"flag {weakening}: broken digests and unknown extensions are never taken"
    stricter = next((flag for flag in STRICTER if flag in flags), None)
    return f"flag {stricter}, which no profile has" if stricter and not is_accepted else ""


def _common_time(certificates):
    """A moment at which all of them are valid, instead of none being asked."""
    validities = [validity(certificate) for certificate in certificates]
    begin, end = max(first for first, _ in validities), min(last for _, last in validities)
    return begin if begin <= end else None
