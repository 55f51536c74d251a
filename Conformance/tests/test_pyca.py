"""The reader of pyca's odd certificates, on certificates that are odd by their making."""

from . import fixtures
from .reading import ReadingTests
from readers import pyca

made = fixtures.made
SUBJECT_KEY = "2.5.29.14"


def vectors(folder):
    strange = fixtures.LEAF.clone().put(SUBJECT_KEY)
    strange.extensions = [extension for extension in strange.extensions if extension.kind == made.ALTERNATIVE_NAME]
    strange.put(made.ALTERNATIVE_NAME, made.sequence(made.dns("odd.example")))
    broken = strange.clone().put(made.ALTERNATIVE_NAME, b"\xff")
    files = {
        "good.pem": fixtures.certificate(strange.signed()) + fixtures.certificate(b"\x30\x00", "X509 CRL"),
        "custom/broken.der": broken.signed(),
        "custom/version.der": strange.signed().replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x07"),
        "PKITS_data/good.pem": fixtures.certificate(strange.signed()),
        "garbage.der": b"\x30\x03\x02\x01\x00",
    }
    for name, content in files.items():
        path = folder / "cryptography_vectors/x509" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


class PycaTests(ReadingTests):
    def setUp(self):
        super().setUp()
        self.cases = self.read(pyca, vectors)

    def test_files_are_certificates_where_pyca_loads_them(self):
        self.assertEqual(
            {name: case.is_accepted for name, case in self.cases.items() if "parse" in name},
            {
                "pyca::parse::good.pem": True,
                "pyca::parse::custom/broken.der": True,
                "pyca::parse::custom/version.der": False,
            },
        )

    def test_extensions_that_pyca_cannot_read_are_never_trusted(self):
        broken = [case for name, case in self.cases.items() if "extension::custom/broken.der" in name]
        self.assertEqual([(case.is_accepted, case.is_open) for case in broken], [(False, False)] * 2)
        good = self.cases["pyca::extension::good.pem 2.5.29.17 of a server"]
        self.assertEqual((good.is_accepted, good.is_open), (True, True))

    def test_an_extension_takes_the_place_of_the_usual_one(self):
        server = self.cases["pyca::extension::good.pem 2.5.29.17 of a server"].request
        authority = self.cases["pyca::extension::good.pem 2.5.29.17 of an authority"].request
        self.assertNotEqual(server["leaf"], authority["leaf"])
        self.assertNotEqual(server["intermediates"], authority["intermediates"])
        self.assertEqual(server["roots"], authority["roots"])
