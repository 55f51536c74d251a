"""The readers, on small suites in the formats of the public ones."""

import unittest

from . import fixtures
from .reading import ReadingTests
from readers import apple_ocsp, bettertls, gnutls, limbo, openssl, pkits  # noqa: E402


class ReaderTests(ReadingTests):
    def test_limbo_gives_time_names_and_expectation(self):
        cases = self.read(limbo, fixtures.limbo)
        self.assertEqual([case.is_accepted for case in cases.values()], [True, False, True])
        good = cases["rfc5280::good"]
        self.assertEqual(good.request["time"], fixtures.NOW)
        self.assertEqual(good.request["peer_name"], {"kind": "DNS", "value": "www.example.com"})
        self.assertEqual(good.request["leaf"], fixtures.text(fixtures.LEAF_DER))
        self.assertEqual((good.group, good.profiles), ("rfc5280", ("webpki",)))

    def test_limbo_asks_bettertls_for_paths_alone(self):
        case = self.read(limbo, fixtures.limbo)["bettertls::pathbuilding::tc1"]
        self.assertEqual((case.group, case.profiles), ("bettertls::pathbuilding", ("rfc5280",)))

    def test_bettertls_reads_an_export(self):
        cases = list(self.read(bettertls, fixtures.bettertls).values())
        self.assertEqual(
            [(case.is_accepted, case.is_open) for case in cases], [(True, False), (False, False), (True, True)]
        )
        self.assertEqual(cases[2].request["peer_name"], {"kind": "HOST", "value": "192.0.2.1"})
        self.assertEqual(cases[0].request["intermediates"], [fixtures.text(fixtures.BETWEEN_DER)])

    def test_pkits_reads_the_archive_and_the_folder_alike(self):
        import zipfile

        archive = fixtures.pkits(self.folder)
        zipfile.ZipFile(archive).extractall(self.folder / "unpacked")
        zipped = list(pkits.cases(archive, 0))
        self.assertEqual(zipped, list(pkits.cases(self.folder / "unpacked", 0)))
        self.assertEqual(len(zipped), 5 + 1 + 1)

    def test_pkits_reads_expectations_from_names_and_settings(self):
        cases = self.read(pkits, fixtures.pkits)
        parts = [cases[f"pkits::ValidCertificatePathTest1::{number}"] for number in range(1, 6)]
        self.assertEqual([part.is_accepted for part in parts], [True, True, True, False, True])
        self.assertEqual(parts[3].request["policy"]["initial"], ["2.16.840.1.101.3.2.1.48.2"])
        self.assertTrue(parts[3].request["policy"]["explicit"])
        self.assertFalse(cases["pkits::InvalidEESignatureTest3"].is_accepted)
        self.assertTrue(cases["pkits::OddTest9"].skipped)

    def test_pkits_leaves_end_entities_out_of_the_intermediates(self):
        case = self.read(pkits, fixtures.pkits)["pkits::InvalidEESignatureTest3"]
        self.assertEqual(len(case.request["intermediates"]), 2)
        self.assertEqual(len(case.request["crls"]), 2)

    def test_pkits_refuses_a_folder_of_something_else(self):
        with self.assertRaises(SystemExit):
            list(pkits.cases(self.folder, 0))

    def test_openssl_reads_every_row_of_the_recipe(self):
        cases = list(self.read(openssl, fixtures.openssl).values())
        self.assertEqual(len(cases), 13)
        self.assertEqual(
            [case.is_accepted for case in cases],
            [True, False, False, True, True, False, False, True, False, True, True, False, True],
        )
        self.assertEqual([bool(case.skipped) for case in cases], [False] * 9 + [True, True, False, True])

    def test_openssl_tells_anchors_from_certificates_that_are_looked_up(self):
        cases = list(self.read(openssl, fixtures.openssl).values())
        root, between = fixtures.text(fixtures.ROOT_DER), fixtures.text(fixtures.BETWEEN_DER)
        self.assertEqual((cases[3].request["roots"], cases[3].request["intermediates"]), ([root], [between]))
        self.assertEqual(cases[4].request["roots"], [between])
        self.assertEqual((cases[5].request["roots"], cases[5].request["intermediates"]), ([], [between]))

    def test_openssl_reads_settings_of_trust(self):
        cases = list(self.read(openssl, fixtures.openssl).values())
        self.assertEqual([len(case.request["roots"]) for case in cases[6:9]], [0, 1, 0])
        self.assertEqual(cases[7].request["time"], 1769904000)

    def test_openssl_reads_options(self):
        cases = list(self.read(openssl, fixtures.openssl).values())
        self.assertEqual(cases[3].profiles, ("rfc5280",))
        self.assertEqual(cases[11].request["max_depth"], 0)
        self.assertEqual(cases[2].request["purpose"], "client")

    def test_gnutls_reads_chains_authorities_and_times(self):
        cases = list(self.read(gnutls, fixtures.gnutls).values())
        self.assertEqual([case.is_accepted for case in cases], [True, True, False, False, True, True, True])
        self.assertEqual(cases[0].request["roots"], [fixtures.text(fixtures.ROOT_DER)])
        self.assertEqual(cases[1].request["roots"], [fixtures.text(fixtures.ROOT_DER)])
        self.assertEqual(cases[2].request["roots"], [fixtures.text(fixtures.STRANGER_DER)])
        self.assertEqual(cases[0].request["intermediates"], [fixtures.text(fixtures.BETWEEN_DER)])
        self.assertEqual(cases[5].request["leaf"], fixtures.text(fixtures.BETWEEN_DER))
        self.assertEqual(cases[1].request["purpose"], "server")

    def test_gnutls_chooses_a_common_time_where_none_is_asked(self):
        cases = list(self.read(gnutls, fixtures.gnutls).values())
        self.assertEqual(cases[3].request["time"], gnutls.DEFAULT_TIME)
        self.assertEqual(cases[4].request["time"], fixtures.NOW - 60 * fixtures.made.DAY)

    def test_gnutls_skips_what_weakens_and_leaves_gost_out(self):
        cases = self.read(gnutls, fixtures.gnutls)
        self.assertTrue(cases["gnutls::7 broken"].skipped)
        self.assertFalse([name for name in cases if "gost" in name])

    def test_apple_ocsp_expects_what_the_response_says(self):
        cases = self.read(apple_ocsp, fixtures.apple_ocsp)
        one = cases["apple-ocsp::1::ocspResponse.der"]
        self.assertTrue(one.is_accepted)
        self.assertEqual(one.request["time"], fixtures.NOW - fixtures.made.DAY)
        self.assertEqual((one.first["revocation"], one.request["revocation"]), ("off", "hard"))
        self.assertFalse(cases["apple-ocsp::2::ocspResponse.der"].is_accepted)
        self.assertTrue(cases["apple-ocsp::4::ocspResponse.der"].skipped)
        self.assertTrue(cases["apple-ocsp::5::ocspResponse.der"].skipped)


if __name__ == "__main__":
    unittest.main()
