"""The relations without servertrust: what is made, and that each law catches a judge that breaks it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding

FOLDER = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER))
from mutator import certificate as cert  # noqa: E402
from mutator.judges import PROFILES  # noqa: E402
from mutator.keys import PSS, key  # noqa: E402
from mutator.situation import text  # noqa: E402
from relating import hierarchy, known, papers, runner  # noqa: E402
from relating.faults import FAULTS  # noqa: E402
from relating.relations import RELATIONS  # noqa: E402
from relating.trial import HELD, IDLE, Answer, Trial, same, still_accepts, still_refuses, union  # noqa: E402

ACCEPT, REFUSE = Answer("accept"), Answer("reject", "expired", "It has expired.")


class Judge:
    """Answers lines by a function of the request, which gives whether it accepts, or a whole answer."""

    def __init__(self, function):
        self.function, self.asked = function, 0

    def ask(self, lines):
        self.asked += len(lines)
        return [self._answer(self.function(json.loads(line))) for line in lines]

    @staticmethod
    def _answer(said):
        if isinstance(said, bool):
            said = {"verdict": "accept"} if said else {"verdict": "reject", "reason": "made-up", "detail": "Made up."}
        return json.dumps(said) if isinstance(said, dict) else said


def judged(name, function, count=20, folder=None):
    report = runner.Report(folder=folder)
    runner.run(Judge(function), report, [name], count=count)
    return report


def without_duplicates(asked):
    return len(set(asked["intermediates"])) == len(asked["intermediates"])


# For each relation a judge that is wrong in the way it looks for.
WRONG = {
    "order": lambda asked: asked["intermediates"][:1] <= asked["intermediates"][-1:],
    "strangers": lambda asked: len(asked["intermediates"]) < 4,
    "duplicates": without_duplicates,
    "encodings": lambda asked: all(item.startswith("MII") for item in asked["intermediates"]),
    "look-alikes": lambda asked: len(asked["intermediates"]) % 2 == 0,
    "more-anchors": lambda asked: len(asked["roots"]) == 1,
    "fewer-anchors": lambda asked: not asked["roots"],
    "fewer-certificates": lambda asked: len(asked["intermediates"]) % 2 == 0,
    "shorter-paths": lambda asked: asked.get("max_depth") == 1,
    "stricter-policies": lambda asked: asked["policy"]["explicit"],
    "further-demands": lambda asked: "key_usage" in asked,
    "stricter-profiles": lambda asked: asked["profile"] == "webpki",
    "stricter-modes": lambda asked: asked["revocation"] == "hard",
    "revoked": lambda asked: True,
    "noise": lambda asked: len(asked["crls"]) + len(asked["ocsp"]) < 5,
    "generations": lambda asked: len(asked["crls"]) < 4,
    "dates": lambda asked: len(asked["intermediates"]) > 2,
    "reasons": lambda asked: True,
}


class RelationTests(unittest.TestCase):
    def test_each_relation_catches_a_judge_that_breaks_it(self):
        self.assertEqual(set(WRONG), set(RELATIONS))
        for name, function in WRONG.items():
            self.assertGreater(judged(name, function).broken[name], 0, name)

    def test_one_answer_to_all_breaks_none_but_the_relations_with_a_known_answer(self):
        caught = {False: {"generations", "reasons"}, True: {"revoked", "reasons", "fewer-anchors", "dates"}}
        for says, relations in caught.items():
            for name in RELATIONS:
                broken = judged(name, lambda asked, says=says: says, count=6).broken[name]
                self.assertEqual(broken > 0, name in relations, (name, says))

    def test_a_relation_that_has_nothing_to_hold_counts_no_comparison(self):
        report = judged("more-anchors", lambda asked: asked["roots"] == [])
        self.assertEqual(report.held["more-anchors"] + report.broken["more-anchors"], 20)  # Of a stranger's anchor.
        self.assertGreater(report.idle["more-anchors"], 20)

    def test_no_answer_is_a_breach(self):
        for fault in ("crash", "hang", {"verdict": "unsupported"}):
            self.assertGreater(judged("order", lambda asked, fault=fault: fault, count=3).broken["order"], 0, fault)

    def test_other_reasons_are_a_breach_of_what_changes_nothing(self):
        def counts(asked):
            return {"verdict": "reject", "reason": "x", "detail": f"There are {len(asked['intermediates'])}."}

        self.assertGreater(judged("duplicates", counts).broken["duplicates"], 0)

    def test_every_profile_and_mode_is_asked(self):
        cases = [papers.add_evidence(hierarchy.case(1, n), hierarchy.source(1, "evidence", n)) for n in range(60)]
        self.assertEqual({case.question.profile for case in cases}, set(PROFILES))
        self.assertEqual({case.question.revocation for case in cases}, {"off", "soft", "hard"})


class LawTests(unittest.TestCase):
    def test_same(self):
        other = Answer("reject", "expired", "It has expired. And more.")
        self.assertEqual(same()([REFUSE, REFUSE]), HELD)
        self.assertTrue(same()([REFUSE, other]))
        self.assertEqual(same(has_many_paths=True)([REFUSE, other]), HELD)
        self.assertTrue(same(has_many_paths=True)([REFUSE, ACCEPT]))
        swapped = Answer("reject", "expired", "And more. It has expired.")
        self.assertEqual(same()([other, swapped]), HELD)

    def test_more_and_less(self):
        for law, answers, expected in (
            (still_accepts, (ACCEPT, ACCEPT), HELD),
            (still_accepts, (REFUSE, ACCEPT), IDLE),
            (still_refuses, (REFUSE, REFUSE), HELD),
            (still_refuses, (ACCEPT, REFUSE), IDLE),
            (still_refuses, (ACCEPT, ACCEPT), HELD),
            (union, (ACCEPT, REFUSE, ACCEPT), HELD),
            (union, (REFUSE, REFUSE, REFUSE), HELD),
        ):
            self.assertEqual(law(answers), expected, (law, answers))
        for law, answers in (
            (still_accepts, (ACCEPT, REFUSE)),
            (still_refuses, (REFUSE, ACCEPT)),
            (union, (ACCEPT, REFUSE, REFUSE)),
            (union, (REFUSE, REFUSE, ACCEPT)),
        ):
            self.assertTrue(law(answers), (law, answers))

    def test_each_fault_is_held_to_its_own_code(self):
        choice = hierarchy.source(1, "test", 1)
        for name, fault in FAULTS.items():
            for code in fault.codes:
                self.assertTrue(fault.is_named(Answer("reject", code)), name)
            self.assertFalse(fault.is_named(Answer("reject", "unheard-of", "It is refused.")), name)
            made = hierarchy.path(choice, depth=2)
            good = hierarchy.question(made, fault.profiles[0])
            self.assertNotEqual(fault.apply(good, made, choice).line(), good.line(), name)


class HierarchyTests(unittest.TestCase):
    def test_a_number_makes_the_same_trials_each_time(self):
        def lines(number):
            made = runner.trials(3, number, list(RELATIONS))
            return [question.line() for _, _, trial in made for question in trial.questions]

        for number in range(8):
            self.assertEqual(lines(number), lines(number))
        self.assertNotEqual(lines(1), lines(2))

    def test_a_relation_makes_the_same_alone_as_among_others(self):
        alone = [trial.change for _, _, trial in runner.trials(1, 4, ["dates"])]
        among = [trial.change for name, _, trial in runner.trials(1, 4, list(RELATIONS)) if name == "dates"]
        self.assertEqual(alone, among)

    def test_paths_chain_by_name_and_by_signature(self):
        found = 0
        for number in range(60):
            case = hierarchy.case(1, number)
            genuine, named = case.paths(), case.paths(by_name=True)
            self.assertTrue({tuple(path) for path in genuine} <= {tuple(path) for path in named} or len(named) == 64)
            for path in genuine:
                for below, above in zip(path, path[1:]):
                    self.assertEqual((below.issuer, below.signing_key), (above.subject, above.key))
                self.assertIn(path[-1].data, case.question.roots)
            found += len(genuine) > 1
        self.assertGreater(found, 10)

    def test_most_kinds_of_keys_and_signatures_are_made(self):
        kinds, algorithms = set(), set()
        for number in range(80):
            for item in hierarchy.case(1, number).authorities:
                kinds.add(item.key.kind)
                algorithms.add(x509.load_der_x509_certificate(item.data).signature_algorithm_oid.dotted_string)
        self.assertEqual(kinds, {"P-256", "P-384", "P-521", "RSA-2048"})
        for algorithm in ("113549.1.1.10", "113549.1.1.11", "10045.4.3.1", "10045.4.3.2"):
            self.assertIn(f"1.2.840.{algorithm}", algorithms)

    def test_pss_signatures_are_what_others_verify(self):
        own = key("shared 1", "RSA-2048")
        own.private.public_key().verify(
            own.sign(b"message", PSS), b"message", padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256()
        )

    def test_another_writing_is_another_certificate_with_the_same_signed_part(self):
        for kind in ("P-256", "P-384", "P-521", "RSA-2048"):
            own = key("shared 1" if kind.startswith("RSA") else "writing", kind)
            data = cert.authority(cert.name("x"), cert.name("x"), own, own, is_root=True).signed()
            first, second = (x509.load_der_x509_certificate(item) for item in (data, papers.rewritten(data, own)))
            self.assertNotEqual(first.fingerprint(hashes.SHA256()), second.fingerprint(hashes.SHA256()))
            self.assertEqual(first.tbs_certificate_bytes, second.tbs_certificate_bytes)
            how = padding.PKCS1v15() if kind.startswith("RSA") else None
            settings = (how, hashes.SHA256()) if how else (ec.ECDSA(hashes.SHA256()),)
            own.private.public_key().verify(second.signature, second.tbs_certificate_bytes, *settings)


class ReportTests(unittest.TestCase):
    def test_a_breach_is_saved_as_the_lines_that_were_asked_and_as_few_as_break_it(self):
        with tempfile.TemporaryDirectory() as folder:
            strange = set(map(text, papers.strange_certificates()))
            report = judged("strangers", lambda asked: not strange & set(asked["intermediates"]), 3, folder)
            [(_, _, path)] = report.examples.values()
            first, second = [json.loads(line)["intermediates"] for line in path.read_text().splitlines()]
            self.assertEqual(first, [])
            self.assertEqual(len(second), 1)

    def test_what_is_kept_is_not_left_out(self):
        first = papers.strange_certificates()[:2]
        made = hierarchy.question([*first, first[0]], "webpki")
        trial = Trial("x", [made, made], lambda answers: "broken", frozenset([first[0]]))
        self.assertEqual([smaller.questions[0].intermediates for smaller in trial.smaller()], [[]])

    def test_a_row_explains_a_breach_and_no_other(self):
        fields = {"relation": "order", "change": "*", "profiles": "webpki\nlegacy\napple", "found": "accept became *"}
        row = known.Row("meant", {**fields, "why": "It is meant."})
        report = runner.Report([row])
        runner.run(Judge(WRONG["order"]), report, ["order"], count=60)
        self.assertGreater(report.known["order", "meant"], 0)
        self.assertGreater(report.broken["order"], 0)
        self.assertTrue(row.explains("order", "x", "legacy", "accept became reject"))
        self.assertFalse(row.explains("order", "x", "rfc5280", "accept became reject"))
        self.assertFalse(row.explains("strangers", "x", "webpki", "accept became reject"))

    def test_every_row_says_why_and_is_of_a_relation(self):
        for row in known.load(FOLDER / "relations.ini"):
            self.assertRegex(row.why, r"RFC \d+|BR \d|Security-\d+", row.name)
            self.assertTrue(any(row.explains(name, *self.examples(row)) for name in RELATIONS), row.name)

    @staticmethod
    def examples(row):
        return [patterns[0].replace("*", "x") for patterns in row.patterns[1:]]

    def test_the_table_in_the_documentation_is_that_of_the_relations(self):
        document = (FOLDER.parent / "docs/differential.md").read_text().splitlines()
        self.assertEqual([line for line in runner.table() if line not in document], [])


class CommandTests(unittest.TestCase):
    """The command with a program in the place of servertrust."""

    def run_with(self, says, *options):
        with tempfile.TemporaryDirectory() as folder:
            judge = pathlib.Path(folder) / "judge"
            program = f"import sys\nfor line in sys.stdin: print({says!r}, flush=True)\n"
            judge.write_text("#!/usr/bin/env python3\n" + program)
            os.chmod(judge, 0o755)
            command = [FOLDER / "run", "relations", "--command", judge, "--out", folder, *options]
            return subprocess.run(command, capture_output=True, text=True, timeout=120)

    def test_a_run_without_breach_ends_with_0_and_tells_its_comparisons(self):
        done = self.run_with('{"verdict":"reject"}', "--relation", "dates", "--count", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\| dates \| [1-9]\d* \| 0 \| 0 \| 0 \|")
        self.assertRegex(done.stdout, r"\d+ comparisons in \d+ s, \d+ a second")

    def test_a_breach_ends_with_1_and_says_how_it_is_repeated(self):
        done = self.run_with('{"verdict":"accept"}', "--relation", "revoked", "--count", "8", "--seed", "7")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"--relation revoked --seed 7 --first \d+ --count 1")
        self.assertIn("servertrust conformance <", done.stdout)

    def test_a_run_that_compared_nothing_fails(self):
        done = self.run_with('{"verdict":"reject"}', "--count", "0")
        self.assertEqual(done.returncode, 1)

    def test_time_is_bounded(self):
        done = self.run_with('{"verdict":"reject"}', "--relation", "dates", "--count", "100000", "--seconds", "1")
        self.assertIn("stopped after 1 seconds", done.stdout)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
