"""Rows of OpenSSL's recipe whose meaning hangs on what stands around them, or on trust that no request can withhold."""

from . import fixtures
from .reading import ReadingTests
from readers import openssl

ROWS = """
with({ exit_checker => sub { return shift == 2; } },
     sub {
         ok(verify("leaf", "", ["stranger"], ["between"]), "fail by the program's status");
         ok(!verify("leaf", "", ["root"], ["between"]), "accept by the program's status");
     });
ok(verify("leaf", "", ["root"], ["between"]), "accept behind it");
ok(!verify("leaf", "sslserver", ["root", "between-serverAuth"], ["between"]), "fail a distrusted intermediate");
"""


def recipe(folder):
    fixtures.openssl(folder)
    with open(folder / "test/recipes/25-test_verify.t", "a") as file:
        file.write(ROWS)
    made = fixtures.made
    distrust = made.sequence(b"\xa0" + made.usages(made.SERVER_AUTH)[1:])
    pem = fixtures.certificate(fixtures.BETWEEN_DER + distrust, "TRUSTED CERTIFICATE")
    (folder / "test/certs/between-serverAuth.pem").write_text(pem)
    return folder


class OpenSSLTests(ReadingTests):
    def setUp(self):
        super().setUp()
        self.cases = list(self.read(openssl, recipe).values())[13:]

    def test_a_status_of_failure_turns_the_rows_within_it(self):
        self.assertEqual([case.is_accepted for case in self.cases], [False, True, True, False])

    def test_a_distrusted_intermediate_is_not_asked(self):
        self.assertEqual(
            [case.skipped for case in self.cases], ["", "", "", "an intermediate that is distrusted"]
        )
