"""Botan's path tests (github.com/randombit/botan): src/tests, its data/x509 and test_name_constraint.cpp.

x509test, nist, extended, pss_certs and bsi are folders with a table, expected.txt, of `TEST:RESULT`; "Verified" and a
warning are acceptance. What the C++ tests say of the other files (moments, and whether a path is good) is in `PATHS`
and `RESPONSES`. Each case is asked with the options that Botan's test sets: SHA-1 and short keys where it allows them,
revocation where it requires it. Botan trusts every certificate of its store; here a root alone is an anchor, as the
folders name it.
"""

import pathlib
import re

from .case import SERVER_AUTH, Case, objects, text, validate
from .dates import utc

PROFILES = ("legacy",)
NAME_ROW = re.compile(r'std::make_tuple\(\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"\)', re.S)
X509TEST_TIME, NIST_TIME = utc(2016, 10, 21, 4, 20), utc(2018, 4, 1, 9, 30, 33)
EXTENDED_TIME, BSI_TIME = utc(2017, 9, 1, 9, 30, 33), utc(2017, 8, 19, 12)

# Name: (leaf, other certificates, roots, moment, whether the path is good).
PATHS = {
    "v1ca": ("misc/v1ca/ee", ["misc/v1ca/int"], ["misc/v1ca/root"], utc(2019, 4, 19, 23), True),
    "v1ca without a root": (
        "misc/v1ca/ee",
        ["misc/v1ca/int", "misc/v1ca/root"],
        [],
        utc(2019, 4, 19, 23),
        False,
    ),
    "v2-in-v1": ("v2-in-v1/leaf", ["v2-in-v1/int"], ["v2-in-v1/root"], utc(2020, 1, 1, 1), False),
    "name_constraint_san": (
        "name_constraint_san/leaf",
        ["name_constraint_san/int"],
        ["name_constraint_san/root"],
        utc(2020, 1, 1, 1),
        False,
    ),
    "name_constraint_ci": (
        "misc/name_constraint_ci/leaf",
        ["misc/name_constraint_ci/int"],
        ["misc/name_constraint_ci/root"],
        utc(2021, 5, 8, 1),
        True,
    ),
    "nc_skip_self": (
        "misc/nc_skip_self/leaf",
        ["misc/nc_skip_self/int"],
        ["misc/nc_skip_self/root"],
        utc(2021, 5, 8, 1),
        True,
    ),
    "cve-2020-0601 with its authority": (
        "cve-2020-0601/ee",
        ["cve-2020-0601/fake_ca"],
        ["cve-2020-0601/ca"],
        utc(2020, 1, 20),
        False,
    ),
    "cve-2020-0601 alone": ("cve-2020-0601/ee", [], ["cve-2020-0601/ca"], utc(2020, 1, 20), False),
    "cve-2020-0601 trusted": ("cve-2020-0601/ee", [], ["cve-2020-0601/fake_ca"], utc(2020, 1, 20), True),
}
_RANDOMBIT = ("randombit", "letsencrypt", "identrust")
_SCHMIDT = ("patrickschmidt", "bdrive_encryption", "bdrive_root")
_DRUCKEREI = ("bdr", "bdr-int", "bdr-root")
_MADE = ("mychain_ee", "mychain_int", "mychain_root")
# (leaf, issuer, root), responses, which certificates need a status, moment, whether the path is good.
RESPONSES = [
    (_RANDOMBIT, ["randombit_ocsp"], "leaf", utc(2016, 11, 11, 12, 30), False),
    (_RANDOMBIT, ["randombit_ocsp"], "leaf", utc(2016, 11, 18, 12, 30), True),
    (_RANDOMBIT, ["randombit_ocsp"], "leaf", utc(2016, 11, 20, 8, 30), True),
    (_RANDOMBIT, ["randombit_ocsp"], "leaf", utc(2016, 11, 28, 8, 30), False),
    (_SCHMIDT, ["patrickschmidt_ocsp"], "leaf", utc(2019, 5, 28, 7), False),
    (_SCHMIDT, ["patrickschmidt_ocsp"], "leaf", utc(2019, 5, 28, 7, 30), True),
    (_SCHMIDT, ["patrickschmidt_ocsp"], "leaf", utc(2019, 5, 28, 8), True),
    (_DRUCKEREI, ["bdr-ocsp-resp", "bdr-int-ocsp-resp"], "hard", utc(2022, 9, 18, 16, 30), False),
    (_DRUCKEREI, ["bdr-ocsp-resp", "bdr-int-ocsp-resp"], "hard", utc(2022, 9, 19, 16, 30), True),
    (_DRUCKEREI, ["bdr-ocsp-resp", "bdr-int-ocsp-resp"], "hard", utc(2022, 9, 20, 16, 30), False),
    (_RANDOMBIT, ["randombit_ocsp_forged_valid"], "leaf", utc(2016, 11, 18, 12, 30), False),
    (_RANDOMBIT, ["randombit_ocsp_forged_revoked"], "leaf", utc(2016, 11, 18, 12, 30), False),
    (
        _MADE,
        ["mychain_ocsp_for_ee", "mychain_ocsp_for_int_self_signed"],
        "hard",
        utc(2022, 9, 22, 22, 30),
        False,
    ),
]


def cases(path, time):
    tests = pathlib.Path(path) / "src/tests"
    data = tests / "data/x509"
    if not data.is_dir():
        raise SystemExit(f"{path} has no src/tests/data/x509: not Botan's sources")
    yield from _name_constraints(tests / "test_name_constraint.cpp", data / "name_constraint")
    yield from _x509test(data / "x509test")
    yield from _nist(data / "nist")
    yield from _extended(data / "extended")
    yield from _pss(data / "pss_certs")
    yield from _bsi(data / "bsi")
    yield from _paths(data)
    yield from _responses(data / "ocsp")


def _table(folder, delimiter=":", name="expected.txt"):
    file = folder / name
    lines = file.read_text().splitlines() if file.exists() else []
    return [line.split(delimiter, 1) for line in lines if line.strip() and not line.startswith("#")]


def _first(path):
    return objects(path)[0]


def _server(host):
    return {"purpose": "server", "eku": [SERVER_AUTH], "peer_name": {"kind": "DNS", "value": host}}


def _case(group, name, result, request, skipped=""):
    is_accepted = result == "Verified" or result.startswith("Warning: ")
    return Case(f"botan::{group}::{name}", f"botan::{group}", is_accepted, request, PROFILES, skipped=skipped)


def _name_constraints(source, folder):
    """The name that these tests ask for is the common name, which no longer counts: it is not asked."""
    rows = NAME_ROW.findall(source.read_text() if source.exists() else "")
    for number, (root, leaf, _, result) in enumerate(rows, 1):
        request = validate(
            _first(folder / leaf),
            [_first(folder / root)],
            time=X509TEST_TIME,
            purpose="server",
            eku=[SERVER_AUTH],
        )
        yield _case("name_constraint", f"{number} {leaf}", result, request)


def _x509test(folder):
    for name, result in _table(folder):
        leaf, *others = objects(folder / name)
        request = validate(
            leaf, [_first(folder / "root.pem")], others, time=X509TEST_TIME, **_server("www.tls.test")
        )
        yield _case("x509test", name, result, request)


def _files(folder, suffix, *without):
    found = [file for file in sorted(folder.rglob(f"*{suffix}")) if file.name not in without]
    return [item for file in found for item in objects(file)]


def _nist(folder):
    for name, result in _table(folder):
        lists = _files(folder / name, ".crl") + objects(folder / "root.crl")
        request = validate(
            _first(folder / name / "end.crt"),
            objects(folder / "root.crt"),
            _files(folder / name, ".crt", "end.crt"),
            time=NIST_TIME,
            crls=[text(item) for item in lists],
            revocation="hard",
        )
        yield _case("nist", name, result, request)


def _extended(folder):
    for name, result in _table(folder):
        request = validate(
            _first(folder / name / "end.crt"),
            objects(folder / name / "root.crt"),
            _files(folder / name, ".crt", "end.crt", "root.crt"),
            time=EXTENDED_TIME,
        )
        yield _case("extended", name, result, request)


def _pss(folder):
    """Botan walks two sorted tables side by side, so that a test has the year in its own place."""
    years = [year for _, year in sorted(_table(folder, name="validation_times.txt"))]
    for (name, result), year in zip(sorted(_table(folder)), years):
        test = folder / name
        root, leaf = _files(test, "root.crt"), _files(test, "end.crt")
        lists = [text(item) for item in _files(test, ".crl")]
        if not root or not leaf:
            yield _case("pss", name, result, {}, "an own signature or a request, which no path has")
            continue
        request = validate(
            leaf[0], root, time=utc(int(year), 1, 1), crls=lists, revocation="hard" if lists else "off"
        )
        yield _case("pss", name, result, request)


def _bsi(folder):
    """Certificates of the Federal Office's tests; a folder with CRL in its name is asked with revocation."""
    for name, result in _table(folder, "$"):
        found = sorted((folder / name).rglob("*.crt"))
        leaf = next(file for file in found if ".TC." in file.name)
        anchors = [item for file in found if ".TA." in file.name for item in objects(file)]
        others = [item for file in found if ".TA." not in file.name and file != leaf for item in objects(file)]
        is_asked = "CRL" in name
        request = validate(
            (objects(leaf) or [b""])[0],
            anchors,
            others,
            time=BSI_TIME,
            crls=[text(item) for item in _files(folder / name, ".crl")] if is_asked else [],
            revocation="hard" if is_asked else "off",
        )
        yield _case("bsi", name, result, request)


def _paths(data):
    for name, (leaf, others, roots, moment, is_good) in PATHS.items():
        files = [data / f"{file}.pem" for file in (leaf, *others, *roots)]
        if not all(file.exists() for file in files):
            continue
        ders = [_first(file) for file in files]
        count = 1 + len(others)
        request = validate(ders[0], ders[count:], ders[1:count], time=moment)
        yield _case("paths", name, "Verified" if is_good else "", request)


def _responses(folder):
    for number, (chain, responses, revocation, moment, is_good) in enumerate(RESPONSES, 1):
        files = [folder / f"{name}.pem" for name in chain] + [folder / f"{name}.der" for name in responses]
        if not all(file.exists() for file in files):
            continue
        leaf, between, root = (_first(file) for file in files[:3])
        request = validate(
            leaf,
            [root],
            [between],
            time=moment,
            ocsp=[text(file.read_bytes()) for file in files[3:]],
            revocation=revocation,
        )
        yield _case("ocsp", f"{number} {responses[-1]}", "Verified" if is_good else "", request)
