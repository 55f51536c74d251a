"""The reader of Mbed TLS's tests, on a small suite in its form."""

from . import fixtures
from .reading import ReadingTests
from readers import mbedtls

SUITE = r'''# A remark

A path
depends_on:MBEDTLS_RSA_C:MBEDTLS_HAVE_TIME_DATE
x509_verify:"data_files/leaf.crt":"data_files/root.crt":"data_files/root.crl":"NULL":0:0:"compat":"NULL"

A path
x509_verify:"data_files/leaf.crt":"data_files/root.crt":"data_files/between.crl":"a.example":MBEDTLS_ERR:A | B:"":"NULL"

With a callback
x509_verify:"data_files/leaf.crt":"data_files/root.crt":"data_files/root.crl":"NULL":0:0:"":"verify_all"

Strict, refused
x509_verify:"data_files/leaf.crt":"data_files/root.crt":"data_files/root.crl":"NULL":MBEDTLS_ERR:A:"suite_b":"NULL"

Strict, accepted
x509_verify:"data_files/leaf.crt":"data_files/root.crt":"data_files/root.crl":"NULL":0:0:"suite_b":"NULL"

A chain
mbedtls_x509_crt_verify_chain:"data_files/alone.crt data_files/between.crt":"data_files/root.crt":0:0:"":0

A chain that a callback ends
mbedtls_x509_crt_verify_chain:"data_files/alone.crt":"data_files/root.crt":-1:-4:"":8

A certificate
x509parse_crt:"3000":"cert. version     \: 3\n":0

No certificate
x509parse_crt:"3001":"":MBEDTLS_ERR_X509_INVALID_FORMAT + MBEDTLS_ERR_ASN1_OUT_OF_DATA

Something else
x509_oid_desc:"2b06":"notfound"
'''


def sources(folder):
    evidence, pem = fixtures.evidence, fixtures.certificate
    files = {
        "leaf.crt": pem(fixtures.LEAF_DER) + pem(fixtures.BETWEEN_DER),
        "alone.crt": fixtures.LEAF_DER,
        "between.crt": pem(fixtures.BETWEEN_DER),
        "root.crt": pem(fixtures.ROOT_DER),
        "root.crl": pem(evidence.List(fixtures.TOP.subject, fixtures.TOP.key).signed(), "X509 CRL"),
        "between.crl": evidence.List(fixtures.BETWEEN.subject, fixtures.BETWEEN.key).signed(),
    }
    for name, content in files.items():
        path = folder / "tests/data_files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "tests/suites").mkdir()
    (folder / "tests/suites/test_suite_x509parse.data").write_text(SUITE)
    (folder / "ChangeLog").write_text("Mbed TLS ChangeLog\n\n= Mbed TLS 1 branch released 2023-03-28\n")
    return folder


class MbedTLSTests(ReadingTests):
    def setUp(self):
        super().setUp()
        self.cases = self.read(mbedtls, sources)

    def test_every_test_about_certificates_is_read(self):
        self.assertEqual(
            {
                name.removeprefix("mbedtls::"): (case.is_accepted, bool(case.skipped))
                for name, case in self.cases.items()
            },
            {
                "verify::A path": (True, False),
                "verify::A path (2)": (False, False),
                "verify::With a callback": (True, True),
                "verify::Strict, refused": (False, True),
                "verify::Strict, accepted": (True, False),
                "verify::A chain": (True, False),
                "verify::A chain that a callback ends": (False, True),
                "parse::A certificate": (True, False),
                "parse::No certificate": (False, False),
            },
        )

    def test_a_status_is_needed_where_a_list_is_the_issuers(self):
        asked = [self.cases["mbedtls::verify::" + name].request["revocation"] for name in ("A path", "A path (2)")]
        self.assertEqual(asked, ["soft", "hard"])

    def test_names_settings_and_the_moment_are_read(self):
        case = self.cases["mbedtls::verify::A path (2)"]
        self.assertEqual(case.request["peer_name"], {"kind": "DNS", "value": "a.example"})
        self.assertEqual((case.request["purpose"], case.profiles), ("server", ("rfc5280",)))
        self.assertEqual(self.cases["mbedtls::verify::A path"].profiles, ("legacy",))
        self.assertEqual(case.request["time"], 1679961600)

    def test_the_files_of_a_chain_are_put_together(self):
        request = self.cases["mbedtls::verify::A chain"].request
        self.assertEqual(request["leaf"], fixtures.text(fixtures.LEAF_DER))
        self.assertEqual(request["intermediates"], [fixtures.text(fixtures.BETWEEN_DER)])

    def test_octets_are_asked_to_be_parsed(self):
        self.assertEqual(self.cases["mbedtls::parse::A certificate"].request["op"], "parse")
        self.assertEqual(self.cases["mbedtls::parse::A certificate"].request["der"], "MAA=")

    def test_something_else_is_refused(self):
        with self.assertRaises(SystemExit):
            list(mbedtls.cases(self.folder / "tests", 0))
