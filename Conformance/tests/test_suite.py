"""`Conformance/suite`: how answers are scored, and when a run fails."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from . import fixtures

SUITE = fixtures.ROOT / "Conformance/suite"
# A command that accepts what has the good root, and nothing it is told not to.
STUB = """#!{python}
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    {special}
    verdict = "accept" if {root!r} in request["roots"] else "reject"
    print(json.dumps({{"id": request["id"], "verdict": verdict, "reason": "stub"}}), flush=True)
"""


class SuiteTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "suite").mkdir()

    def run_suite(self, name, make, *options, special="pass", expectations=""):
        command = self.folder / "stub"
        command.write_text(STUB.format(python=sys.executable, special=special, root=fixtures.text(fixtures.ROOT_DER)))
        command.chmod(0o755)
        listed = self.folder / "expectations.txt"
        listed.write_text(expectations)
        path = make(self.folder / "suite") if callable(make) else make
        return subprocess.run(
            [sys.executable, SUITE, name, path, "--command", command, "--expectations", listed, *options],
            capture_output=True,
            text=True,
            timeout=60,
        )

    def test_expected_answers_pass(self):
        done = self.run_suite("pkits", fixtures.pkits, "--only", "pkits::ValidCertificatePathTest1::1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("2 as expected, 0 not", done.stdout)

    def test_a_wrong_accept_fails_and_is_named_as_one(self):
        done = self.run_suite("bettertls", fixtures.bettertls)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unexpected: bettertls::nameconstraints::1 | rfc5280 | wrong-accept", done.stdout)

    def test_a_wrong_reject_fails_and_is_named_as_one(self):
        done = self.run_suite("bettertls", fixtures.bettertls, special="request['roots'] = []")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bettertls::nameconstraints::0 | rfc5280 | wrong-reject", done.stdout)
        self.assertNotIn("unexpected: bettertls::nameconstraints::2", done.stdout)

    def test_a_listed_difference_passes(self):
        listed = "bettertls::nameconstraints::1 | rfc5280 | wrong-accept | a stub"
        done = self.run_suite("bettertls", fixtures.bettertls, expectations=listed)
        self.assertEqual(done.returncode, 0)

    def test_a_difference_in_every_profile_is_listed_once(self):
        listed = "bettertls::nameconstraints::1 | * | wrong-accept | a stub"
        both = ("--profile", "rfc5280", "--profile", "legacy")
        done = self.run_suite("bettertls", fixtures.bettertls, *both, expectations=listed)
        self.assertEqual(done.returncode, 0)
        special = "request.update(roots=[]) if request['profile'] == 'legacy' else None"
        done = self.run_suite("bettertls", fixtures.bettertls, *both, expectations=listed, special=special)
        self.assertEqual(done.returncode, 1)
        self.assertIn("::1 | legacy | correct, expected wrong-accept", done.stdout)

    def test_the_score_tells_reasons_and_wrong_accepts_apart(self):
        listed = "bettertls::nameconstraints::1 | rfc5280 | wrong-accept | a stub"
        done = self.run_suite("bettertls", fixtures.bettertls, "--score", "1.0", expectations=listed)
        self.assertIn("| bettertls 1.0 | 3 | 3 | 2 | 1 | 0 | 0 | 0 | 0 |", done.stdout)
        done = self.run_suite("bettertls", fixtures.bettertls, "--score", "1.0")
        self.assertIn("| bettertls 1.0 | 3 | 3 | 2 | 0 | 0 | 0 | 1 | 1 |", done.stdout)

    def test_an_unexpected_success_fails(self):
        listed = (
            "bettertls::nameconstraints::1 | rfc5280 | wrong-accept | a stub\n"
            "bettertls::nameconstraints::0 | rfc5280 | wrong-reject | not any more"
        )
        done = self.run_suite("bettertls", fixtures.bettertls, expectations=listed)
        self.assertEqual(done.returncode, 1)
        self.assertIn(
            "unexpected: bettertls::nameconstraints::0 | rfc5280 | correct, expected wrong-reject", done.stdout
        )

    def test_a_listed_case_that_is_gone_fails(self):
        listed = (
            "bettertls::nameconstraints::1 | rfc5280 | wrong-accept | a stub\n"
            "bettertls::nameconstraints::99 | rfc5280 | wrong-accept | gone"
        )
        done = self.run_suite("bettertls", fixtures.bettertls, expectations=listed)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such case: bettertls::nameconstraints::99", done.stdout)

    def test_a_crash_is_counted_apart_and_the_run_goes_on(self):
        special = "sys.exit(1) if request['peer_name']['value'] == 'www.example.com' else None"
        done = self.run_suite("bettertls", fixtures.bettertls, special=special)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bettertls::nameconstraints::0 | rfc5280 | crash", done.stdout)
        self.assertIn("bettertls::nameconstraints::1 | rfc5280 | wrong-accept", done.stdout)

    def test_a_hang_is_counted_apart_and_the_run_goes_on(self):
        special = "__import__('time').sleep(30) if request['peer_name']['value'] == 'www.example.com' else None"
        done = self.run_suite("bettertls", fixtures.bettertls, "--seconds", "0.5", special=special)
        self.assertIn("bettertls::nameconstraints::0 | rfc5280 | hang", done.stdout)
        self.assertIn("bettertls::nameconstraints::1 | rfc5280 | wrong-accept", done.stdout)

    def test_responses_are_skipped_where_the_path_itself_is_refused(self):
        done = self.run_suite("apple-ocsp", fixtures.apple_ocsp)
        self.assertEqual(done.returncode, 0)
        self.assertIn("refused without the evidence: stub", done.stdout)

    def test_a_suite_without_its_path_is_an_error_unless_it_is_made(self):
        command = [sys.executable, SUITE, "limbo"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("limbo needs a path", done.stderr)
        only = ("signatures", "--only", "signatures::ed25519::empty")
        special = "request['roots'] = []"
        made = self.run_suite(only[0], lambda folder: "", *only[1:], special=special)
        self.assertEqual(made.returncode, 0)
        self.assertIn("2 as expected, 0 not", made.stdout)

    def test_a_suite_without_cases_is_an_error(self):
        empty = self.folder / "empty.json"
        empty.write_text('{"testcases": []}')
        done = self.run_suite("limbo", empty)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no cases", done.stderr)


if __name__ == "__main__":
    unittest.main()
