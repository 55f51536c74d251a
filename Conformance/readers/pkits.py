"""NIST's Public Key Interoperability Test Suite: `PKITS_data.zip`, or the folder that it unpacks to.

The archive has every certificate in certs/ and every list in crls/, and no table of tests. A test is named by its end
entity: Valid… and Invalid… say what is expected with the default settings. What other settings do to the tests of
sections 4.8, 4.10 and 4.12 is stated in the document beside the archive, and in `SETTINGS` here.
"""

import pathlib
import zipfile

from .case import Case, text, validate

TIME = 1302825600  # 2011-04-15T00:00:00Z, when every certificate that is not meant to be over is valid.
ANCHOR = "TrustAnchorRootCertificate"
PROFILES = ("legacy", "rfc5280")


def _policies(*numbers, explicit=False, mapping=False, any_policy=False):
    return {
        "initial": [f"2.16.840.1.101.3.2.1.48.{number}" for number in numbers] or ["2.5.29.32.0"],
        "explicit": explicit,
        "inhibit_mapping": mapping,
        "inhibit_any": any_policy,
    }


ANY = _policies()
# The end entity's name: the settings of each part of the test, and whether the path is valid.
SETTINGS = {
    "ValidCertificatePathTest1": [
        (ANY, True),
        (_policies(explicit=True), True),
        (_policies(1, explicit=True), True),
        (_policies(2, explicit=True), False),
        (_policies(1, 2, explicit=True), True),
    ],
    "AllCertificatesNoPoliciesTest2": [(ANY, True), (_policies(explicit=True), False)],
    "DifferentPoliciesTest3": [(ANY, True), (_policies(explicit=True), False), (_policies(1, 2, explicit=True), False)],
    "DifferentPoliciesTest4": [(ANY, False)],
    "DifferentPoliciesTest5": [(ANY, False)],
    "OverlappingPoliciesTest6": [(ANY, True), (_policies(1), True), (_policies(2), False)],
    "DifferentPoliciesTest7": [(ANY, False)],
    "DifferentPoliciesTest8": [(ANY, False)],
    "DifferentPoliciesTest9": [(ANY, False)],
    "AllCertificatesSamePoliciesTest10": [(ANY, True), (_policies(1), True), (_policies(2), True)],
    "AllCertificatesanyPolicyTest11": [(ANY, True), (_policies(1), True)],
    "DifferentPoliciesTest12": [(ANY, False)],
    "AllCertificatesSamePoliciesTest13": [(_policies(1), True), (_policies(2), True), (_policies(3), True)],
    "AnyPolicyTest14": [(_policies(1), True), (_policies(2), False)],
    "UserNoticeQualifierTest15": [(ANY, True)],
    "UserNoticeQualifierTest16": [(ANY, True)],
    "UserNoticeQualifierTest17": [(ANY, True)],
    "UserNoticeQualifierTest18": [(_policies(1), True), (_policies(2), True)],
    "UserNoticeQualifierTest19": [(ANY, True)],
    "CPSPointerQualifierTest20": [(_policies(1), True)],
    "ValidPolicyMappingTest1": [(_policies(1), True), (_policies(2), False), (_policies(mapping=True), False)],
    "InvalidPolicyMappingTest2": [(ANY, False), (_policies(mapping=True), False)],
    "ValidPolicyMappingTest3": [(_policies(1), False), (_policies(2), True)],
    "ValidPolicyMappingTest5": [(_policies(1), True), (_policies(6), False)],
    "ValidPolicyMappingTest6": [(_policies(1), True), (_policies(6), False)],
    "ValidPolicyMappingTest12": [(_policies(1), True), (_policies(2), True)],
    "inhibitAnyPolicyTest3": [(ANY, True), (_policies(any_policy=True), False)],
}


def cases(path, time):
    files = _files(pathlib.Path(path))
    certificates = {name: der for (kind, name), der in files.items() if kind == "certs"}
    lists = [text(der) for (kind, _), der in sorted(files.items()) if kind == "crls"]
    if ANCHOR not in certificates:
        raise SystemExit(f"{path} has no certs/{ANCHOR}.crt: not the data of PKITS")
    authorities = [der for name, der in sorted(certificates.items()) if not name.endswith("EE")]
    for name in sorted(certificates):
        if name.endswith("EE"):
            yield from _test(name[:-2], certificates[name], certificates[ANCHOR], authorities, lists)


def _files(path):
    """{(folder, name): DER} of certs/*.crt and crls/*.crl."""
    if path.is_dir():
        found = [(file.relative_to(path), file.read_bytes()) for file in path.rglob("*.cr[tl]")]
    else:
        with zipfile.ZipFile(path) as archive:
            found = [
                (pathlib.PurePosixPath(name), archive.read(name))
                for name in archive.namelist()
                if name.endswith((".crt", ".crl"))
            ]
    return {(file.parent.name, file.stem): der for file, der in found if file.parent.name in ("certs", "crls")}


def _test(name, leaf, anchor, authorities, lists):
    by_name = True if name.startswith("Valid") else False if name.startswith("Invalid") else None
    for number, (policy, is_valid) in enumerate(SETTINGS.get(name) or [(ANY, by_name)], 1):
        request = validate(leaf, [anchor], authorities, time=TIME, policy=policy, crls=lists, revocation="hard")
        identifier = f"pkits::{name}" + (f"::{number}" if name in SETTINGS else "")
        yield Case(
            identifier,
            "pkits",
            bool(is_valid),
            request,
            PROFILES,
            skipped="" if is_valid is not None else "the archive does not say what is expected",
        )
