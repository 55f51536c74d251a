"""GnuTLS's single certificates: hosts, and files that must or must not be read."""

import base64

from . import fixtures
from .reading import ReadingTests
from readers import gnutls

CHECKS = r'''
char own[] = %s;
char nameless[] =
%s;
void doit(void)
{
	data.data = (unsigned char *) own;
	ret = gnutls_x509_crt_check_hostname(x509, "www.example.com");
	if (!ret)
		fail("%%d: does not match (%%d)\n", __LINE__, ret);
	ret = gnutls_x509_crt_check_hostname2(x509, "a.example.com", GNUTLS_VERIFY_DO_NOT_ALLOW_WILDCARDS);
	if (ret)
		fail("matches");
	data.data = (unsigned char *) nameless;
	ret =
	    gnutls_x509_crt_check_hostname(x509, "b.example.com");
	if (ret==0)
		fail("does not match");
	ret = gnutls_openpgp_crt_check_hostname(pgp, "test.gnutls.org");
	if (!ret)
		fail("not read");
}
'''
SCRIPT = """
for file in odd.pem \\
	other.pem; do
	echo
done
"""


def sources(folder):
    fixtures.gnutls(folder)

    def quoted(der, end):
        return "\n".join(f'"{line}{end}"' for line in fixtures.certificate(der).splitlines())

    texts = quoted(fixtures.LEAF_DER, "\\n"), quoted(fixtures.ROOT_DER, "\\n")
    (folder / "tests/hostname-check.c").write_text(CHECKS % texts)
    for name, content in {
        "certs-interesting/a.der": fixtures.LEAF_DER,
        "certs-interesting/b.der": b"\x30\x01",
        "certs-interesting/b.der.err": b"-69",
        "cert-tests/cert-sanity.sh": SCRIPT.encode(),
        "cert-tests/data/odd.pem": fixtures.certificate(fixtures.ROOT_DER).encode(),
        "cert-tests/data/other.pem": fixtures.certificate(fixtures.LEAF_DER).encode(),
    }.items():
        path = folder / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


class GnuTLSFileTests(ReadingTests):
    def setUp(self):
        super().setUp()
        self.cases = self.read(gnutls, sources)

    def test_hosts_and_files_are_read_beside_the_chains(self):
        self.assertEqual(
            {
                name.removeprefix("gnutls::"): (case.is_accepted, bool(case.skipped))
                for name, case in self.cases.items()
                if "::host" in name or "::parse" in name
            },
            {
                "host::1 own www.example.com": (True, False),
                "host::2 own a.example.com": (False, True),
                "host::3 nameless b.example.com": (True, False),
                "parse::a.der": (True, False),
                "parse::b.der": (False, False),
                "parse::odd.pem": (False, False),
                "parse::other.pem": (False, False),
            },
        )
        self.assertEqual(len(self.cases), 7 + 7)

    def test_new_certificates_have_the_names_of_the_old(self):
        own, nameless = (
            base64.b64decode(self.cases[f"gnutls::host::{name}.example.com"].request["leaf"])
            for name in ("1 own www", "3 nameless b")
        )
        self.assertIn(b"www.example.com", own)
        self.assertNotIn(bytes.fromhex("0603551d11"), nameless)
