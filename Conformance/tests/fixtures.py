"""Small suites in the formats of the public ones, with certificates made here."""

import json
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in ("Conformance", "Differential"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))
from mutator import certificate as made  # noqa: E402
from mutator import evidence  # noqa: E402
from mutator.report import pem  # noqa: E402
from readers.case import text  # noqa: E402

TOP = made.root()
BETWEEN = made.intermediate(TOP)
LEAF = made.server(BETWEEN)
ROOT_DER, BETWEEN_DER, LEAF_DER = TOP.signed(), BETWEEN.signed(), LEAF.signed()
STRANGER_DER = made.root("stranger").signed()
NOW = made.NOW


def certificate(der, label="CERTIFICATE"):
    return pem(label, der)


def limbo(folder):
    def case(identifier, root, expected, **more):
        return {
            "id": identifier,
            "features": [],
            "validation_kind": "SERVER",
            "trusted_certs": [certificate(root)],
            "untrusted_intermediates": [certificate(BETWEEN_DER)],
            "peer_certificate": certificate(LEAF_DER),
            "validation_time": "2026-02-01T00:00:00+00:00",
            "signature_algorithms": [],
            "key_usage": [],
            "extended_key_usage": ["serverAuth"],
            "expected_result": expected,
            "crls": [],
            "expected_peer_name": {"kind": "DNS", "value": "www.example.com"},
            "expected_peer_names": [],
            "max_chain_depth": None,
            **more,
        }

    path = folder / "limbo.json"
    path.write_text(
        json.dumps(
            {
                "version": 1,
                "testcases": [
                    case("rfc5280::good", ROOT_DER, "SUCCESS"),
                    case("rfc5280::bad", STRANGER_DER, "FAILURE"),
                    case("bettertls::pathbuilding::tc1", ROOT_DER, "SUCCESS", validation_time=None),
                ],
            }
        )
    )
    return path


def bettertls(folder):
    chain = [text(LEAF_DER), text(BETWEEN_DER)]
    tests = [
        {
            "id": 0,
            "certificates": chain,
            "hostname": "www.example.com",
            "requiredFeatures": [],
            "expected": "ACCEPT",
            "failureIsWarning": False,
        },
        {
            "id": 1,
            "certificates": chain,
            "hostname": "other.example.org",
            "requiredFeatures": [],
            "expected": "REJECT",
            "failureIsWarning": False,
        },
        {
            "id": 2,
            "certificates": chain,
            "hostname": "192.0.2.1",
            "requiredFeatures": [],
            "expected": "ACCEPT",
            "failureIsWarning": True,
        },
    ]
    path = folder / "tests.json"
    path.write_text(
        json.dumps(
            {
                "betterTlsRevision": "0",
                "trustRoot": text(ROOT_DER),
                "suites": {
                    "nameconstraints": {
                        "features": [],
                        "sanityCheckTestCase": 0,
                        "featureTestCases": {},
                        "testCases": tests,
                    }
                },
            }
        )
    )
    return path


def pkits(folder):
    clean = [evidence.List(TOP.subject, TOP.key).signed(), evidence.List(BETWEEN.subject, BETWEEN.key).signed()]
    other = made.server(BETWEEN, "another", serial=0x4004)
    other.signing_key = made.key("stranger")
    path = folder / "PKITS_data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, der in {
            "certs/TrustAnchorRootCertificate.crt": ROOT_DER,
            "certs/GoodCACert.crt": BETWEEN_DER,
            "certs/ValidCertificatePathTest1EE.crt": LEAF_DER,
            "certs/InvalidEESignatureTest3EE.crt": other.signed(),
            "certs/OddTest9EE.crt": LEAF_DER,
            "crls/TrustAnchorRootCRL.crl": clean[0],
            "crls/GoodCACRL.crl": clean[1],
            "smime/SignedTest1.eml": b"",
            "pkits.ldif": b"",
        }.items():
            archive.writestr(name, der)
    return path


# The rows are in the form of OpenSSL's recipe; the certificates are this file's.
RECIPE = '''
ok(verify("leaf", "sslserver", ["root"], ["between"]),
   "accept the path");
ok(!verify("leaf", "sslserver", [qw(stranger)], [qw(between)]),
   "fail another root");
ok(!verify("leaf", "sslclient", [qw(root)], [qw(between)]), "fail another purpose");
ok(verify("leaf", "", [qw(root between)], [], "-auth_level", "2"), "accept a trusted authority that is looked up");
ok(verify("leaf", "sslserver", [qw(between)], [], "-partial_chain"),
   "accept a partial chain");
ok(!verify("leaf", "sslserver", ["between"], []), "fail without a root");
ok(!verify("leaf", "sslserver", [qw(root-clientAuth)], ["between"]), "fail a root for clients");
ok(verify("leaf", "sslserver", [qw(root+serverAuth)], ["between"], "-attime", "1769904000"), "accept a root for servers");
ok(!verify("leaf", "sslserver", [qw(root-serverAuth)], ["between"]), "fail a root that is distrusted");
ok(verify("leaf", "codesign", ["root"], ["between"]), "accept codesign");
ok(verify("leaf", "", ["root"], ["between"], @prov), "accept with another build");
ok(!verify("leaf", "", ["root"], ["between"], "-verify_depth", "0"), "reject the depth");
SKIP: {
    ok_nofips(verify("absent", "", ["root"], []), "a file that is not there");
}
'''


def openssl(folder):
    (folder / "test/recipes").mkdir(parents=True)
    (folder / "test/certs").mkdir()
    (folder / "test/recipes/25-test_verify.t").write_text(RECIPE)

    def settings(trusted=(), rejected=()):
        usages = {"server": made.SERVER_AUTH, "client": made.CLIENT_AUTH}
        parts = [made.usages(*(usages[kind] for kind in trusted))] if trusted else []
        if rejected:
            parts.append(b"\xa0" + made.usages(*(usages[kind] for kind in rejected))[1:])
        return ROOT_DER + made.sequence(*parts)

    files = {
        "leaf": certificate(LEAF_DER),
        "between": certificate(BETWEEN_DER),
        "root": certificate(ROOT_DER),
        "stranger": certificate(STRANGER_DER),
        "root-clientAuth": certificate(settings(trusted=["client"]), "TRUSTED CERTIFICATE"),
        "root+serverAuth": certificate(settings(trusted=["server"]), "TRUSTED CERTIFICATE"),
        "root-serverAuth": certificate(settings(rejected=["server"]), "TRUSTED CERTIFICATE"),
    }
    for name, content in files.items():
        (folder / f"test/certs/{name}.pem").write_text(content)
    return folder


def gnutls(folder):
    def array(name, *items):
        lines = [
            "NULL" if der is None else "\n".join(f'\t"{line}\\n"' for line in certificate(der).splitlines())
            for der in items
        ]
        return f"static const char *{name}[] = {{\n" + ",\n".join(lines) + "\n};\n"

    table = '''
static struct {
	const char *name;
	const char **chain;
} chains[] = {
	{ "a good chain", good, &good[3], 0, 0, NULL, 1769904000 },
	{ "for servers", good, good_ca, 0, 0,
	  GNUTLS_KP_TLS_WWW_SERVER, 1769904000 },
	{ "another root", good, &good[4], 0,
	  GNUTLS_CERT_SIGNER_NOT_FOUND | GNUTLS_CERT_INVALID, NULL, 1769904000 },
	/* the clock of the test */
	{ "before it began", good, &good[3], 0, GNUTLS_CERT_NOT_ACTIVATED | GNUTLS_CERT_INVALID, NULL },
	{ "at any time", good, &good[3], GNUTLS_VERIFY_DISABLE_TIME_CHECKS, 0, NULL },
	{ "the authority", &good[1], &good[3], 0, 0, NULL, 1769904000 },
	{ "broken", good, &good[3], GNUTLS_VERIFY_ALLOW_BROKEN, 0, NULL, 1769904000 },
#ifdef ENABLE_GOST
	{ "gost", gost, &gost[0], 0, 0, NULL, 1 },
#endif
	{ NULL, NULL, NULL, 0, 0 }
};
'''
    (folder / "tests").mkdir()
    (folder / "tests/test-chains.h").write_text(
        array("good", LEAF_DER, BETWEEN_DER, None, ROOT_DER, STRANGER_DER) + array("good_ca", ROOT_DER, None) + table
    )
    return folder


def apple_ocsp(folder):
    """An answer "good", one "revoked", one by a stranger, and a response without an answer."""
    issuer = BETWEEN.subject, BETWEEN.key.bits
    own = evidence.certificate_identifier(*issuer, 0x3003)
    stranger = made.key("stranger")
    responses = {
        "1": evidence.Response([evidence.Answer(own)], BETWEEN.key, evidence.responder_name(BETWEEN.subject)),
        "2": evidence.Response(
            [evidence.Answer(own, "revoked")], BETWEEN.key, evidence.responder_name(BETWEEN.subject)
        ),
        "3": evidence.Response([evidence.Answer(own)], stranger, evidence.responder_name(BETWEEN.subject)),
        "4": evidence.Response(
            [evidence.Answer(evidence.certificate_identifier(*issuer, 9))],
            BETWEEN.key,
            evidence.responder_name(BETWEEN.subject),
        ),
    }
    corpus = folder / "tests/TrustTests/TestData/OCSPResponseTests-data/CTSourcedCorpus"
    for name, response in responses.items():
        (corpus / name).mkdir(parents=True)
        (corpus / name / "issuer.crt.pem").write_text(certificate(BETWEEN_DER))
        (corpus / name / f"{name}.crt.pem").write_text(certificate(LEAF_DER))
        (corpus / name / "ocspResponse.der").write_bytes(response.signed())
    (corpus / "singleSha1OcspResponses.list").write_text("1\n2\n3\n4\n5\n")
    return folder
