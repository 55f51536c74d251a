"""The reader of Botan's tests, on a small tree in its form."""

from . import fixtures
from .reading import ReadingTests
from readers import botan

evidence = fixtures.evidence


def tree(folder):
    """One test of each kind, some of them to be refused."""
    clean = [evidence.List(issuer.subject, issuer.key).signed() for issuer in (fixtures.TOP, fixtures.BETWEEN)]
    files = {
        "name_constraint/root.crt": fixtures.ROOT_DER,
        "name_constraint/leaf.crt": fixtures.LEAF_DER,
        "x509test/expected.txt": "# a remark\nGood.pem:Verified\nBad.pem:Certificate has expired\n",
        "x509test/root.pem": fixtures.certificate(fixtures.ROOT_DER),
        "x509test/Good.pem": fixtures.certificate(fixtures.LEAF_DER) + fixtures.certificate(fixtures.BETWEEN_DER),
        "x509test/Bad.pem": fixtures.certificate(fixtures.LEAF_DER),
        "nist/expected.txt": "test01:Verified\n",
        "nist/root.crt": fixtures.ROOT_DER,
        "nist/root.crl": clean[0],
        "nist/test01/int.crt": fixtures.BETWEEN_DER,
        "nist/test01/int.crl": clean[1],
        "nist/test01/end.crt": fixtures.LEAF_DER,
        "extended/expected.txt": "01:Verified\n",
        "extended/01/root.crt": fixtures.ROOT_DER,
        "extended/01/int.crt": fixtures.BETWEEN_DER,
        "extended/01/end.crt": fixtures.LEAF_DER,
        "pss_certs/expected.txt": "1:Verified\n2:Signature error\n3:1\n",
        "pss_certs/validation_times.txt": "1:2016\n2:2017\n3:2018\n",
        "pss_certs/1/root.crt": fixtures.ROOT_DER,
        "pss_certs/1/end.crt": fixtures.LEAF_DER,
        "pss_certs/2/root.crt": fixtures.ROOT_DER,
        "pss_certs/2/end.crt": fixtures.LEAF_DER,
        "pss_certs/2/some.crl": clean[0],
        "pss_certs/3/end.crt": fixtures.LEAF_DER,
        "bsi/expected.txt": "path_01$Warning: Serial number is negative\npath_CRL_02$No revocation data\npath_3$X\n",
        **{
            f"bsi/{test}/{test}_{part}.pem.crt": der
            for test in ("path_01", "path_CRL_02")
            for part, der in {
                "root.TA": fixtures.ROOT_DER,
                "sub.ca": fixtures.BETWEEN_DER,
                "ee.TC": fixtures.LEAF_DER,
            }.items()
        },
        "bsi/path_CRL_02/crls/root.crl": clean[0],
        "bsi/path_3/root.TA.crt": fixtures.ROOT_DER,
        "bsi/path_3/ee.TC.crt": "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n",
        **{
            f"misc/nc_skip_self/{name}.pem": fixtures.certificate(der)
            for name, der in {
                "root": fixtures.ROOT_DER,
                "int": fixtures.BETWEEN_DER,
                "leaf": fixtures.LEAF_DER,
            }.items()
        },
        "ocsp/mychain_ee.pem": fixtures.certificate(fixtures.LEAF_DER),
        "ocsp/mychain_int.pem": fixtures.certificate(fixtures.BETWEEN_DER),
        "ocsp/mychain_root.pem": fixtures.certificate(fixtures.ROOT_DER),
        "ocsp/mychain_ocsp_for_ee.der": b"\x30\x00",
        "ocsp/mychain_ocsp_for_int_self_signed.der": b"\x30\x00",
    }
    for name, content in files.items():
        path = folder / "src/tests/data/x509" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "src/tests/test_name_constraint.cpp").write_text(
        'std::make_tuple("root.crt", "leaf.crt",\n "a name", "Verified"),'
        'std::make_tuple("root.crt", "leaf.crt", "a name", "Certificate does not pass name constraint"),'
    )
    return folder


class BotanTests(ReadingTests):
    def setUp(self):
        super().setUp()
        self.cases = self.read(botan, tree)

    def test_every_kind_is_read_with_its_expectation(self):
        self.assertEqual(
            {name.removeprefix("botan::"): case.is_accepted for name, case in self.cases.items()},
            {
                "name_constraint::1 leaf.crt": True,
                "name_constraint::2 leaf.crt": False,
                "x509test::Good.pem": True,
                "x509test::Bad.pem": False,
                "nist::test01": True,
                "extended::01": True,
                "pss::1": True,
                "pss::2": False,
                "pss::3": False,
                "bsi::path_01": True,
                "bsi::path_CRL_02": False,
                "bsi::path_3": False,
                "paths::nc_skip_self": True,
                "ocsp::13 mychain_ocsp_for_int_self_signed": False,
            },
        )

    def test_anchors_and_other_certificates_are_told_apart(self):
        root, between = fixtures.text(fixtures.ROOT_DER), fixtures.text(fixtures.BETWEEN_DER)
        for name in ("x509test::Good.pem", "nist::test01", "extended::01", "bsi::path_01", "paths::nc_skip_self"):
            request = self.cases["botan::" + name].request
            self.assertEqual((request["roots"], request["intermediates"]), ([root], [between]), name)

    def test_revocation_is_asked_where_botan_asks(self):
        asked = {name: case.request["revocation"] for name, case in self.cases.items() if not case.skipped}
        self.assertEqual((asked["botan::nist::test01"], asked["botan::bsi::path_CRL_02"]), ("hard", "hard"))
        self.assertEqual((asked["botan::bsi::path_01"], asked["botan::pss::1"]), ("off", "off"))
        self.assertEqual(len(self.cases["botan::nist::test01"].request["crls"]), 2)

    def test_years_stand_in_the_place_of_their_test(self):
        self.assertEqual(self.cases["botan::pss::2"].request["time"], 1483228800)

    def test_a_broken_certificate_is_asked_as_none(self):
        self.assertEqual(self.cases["botan::bsi::path_3"].request["leaf"], "")

    def test_something_else_is_refused(self):
        with self.assertRaises(SystemExit):
            list(botan.cases(self.folder / "src", 0))
