"""The mutator without any judge: what it makes, what its oracles say, and how disagreements find their rows."""

import pathlib
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER))
from mutator import classes, der, families, names, oracle, report, revocation, signers, words  # noqa: E402
from mutator.all import FAMILIES  # noqa: E402
from mutator.classes import Disagreement  # noqa: E402

ROWS = classes.load(FOLDER / "classes.ini")
ACCEPT, REJECT = ("accept", "", ""), ("reject", "expired", "")


class EncodingTests(unittest.TestCase):
    def test_what_is_written_is_read_back(self):
        for value in (0, 1, 127, 128, 255, 256, -1, -128, -129, 1 << 70):
            [(tag, content, _)] = der.children(der.integer(value))
            self.assertEqual((tag, int.from_bytes(content, "big", signed=True)), (2, value))
        self.assertEqual(der.oid("1.2.840.113549").hex(), "06062a864886f70d")
        self.assertEqual(der.named_bits(0, 5).hex(), "03020284")
        self.assertEqual(der.tlv(4, b"x" * 300)[:4].hex(), "0482012c")

    def test_a_tree_is_written_as_it_was_read(self):
        whole = families.fields(1, 0).leaf
        self.assertEqual(der.Node.parse(whole).encode(), whole)

    def test_what_is_cut_off_is_no_element(self):
        with self.assertRaises(ValueError):
            der.children(der.integer(5)[:-1])


class SituationTests(unittest.TestCase):
    def test_a_number_makes_the_same_situation_each_time(self):
        for family, make in FAMILIES.items():
            first, second = make(1, 17), make(1, 17)
            self.assertEqual(
                (first.mutation, first.leaf, first.roots, first.intermediates, first.lists, first.responses),
                (second.mutation, second.leaf, second.roots, second.intermediates, second.lists, second.responses),
                family,
            )

    def test_seeds_and_numbers_make_different_situations(self):
        made = {families.structure(seed, number).mutation for seed in (1, 2) for number in range(20)}
        self.assertGreater(len(made), 20)

    def test_the_first_round_of_fields_goes_through_every_mutation_of_every_certificate(self):
        count = 3 * len(families.MUTATIONS)
        self.assertEqual(len({families.fields(1, number).mutation for number in range(count)}), count)

    def test_simpler_situations_have_less(self):
        found = next(
            made
            for made in (revocation.revocation(1, number) for number in range(50))
            if made.mutation.count(" + ") > 2
        )
        for make in found.simpler():
            self.assertLessEqual(len(make().mutation), len(found.mutation) + len("issuing: nothing + "))

    def test_a_situation_is_written_with_the_command_that_judges_it(self):
        with tempfile.TemporaryDirectory() as folder:
            made = revocation.revocation(1, 3)
            command = report.write(folder, "one", made, "webpki").split()
            self.assertEqual(command[:4], ["servertrust", "evaluate", "--profile", "webpki"])
            self.assertEqual(command[command.index("--at") + 1], "2026-02-01T00:00:00Z")
            for option in ("--chain", "--roots"):
                self.assertIn("BEGIN CERTIFICATE", pathlib.Path(command[command.index(option) + 1]).read_text())


class ConstraintOracleTests(unittest.TestCase):
    """RFC 5280 §4.2.1.10, by its own examples and their neighbors."""

    TABLE = [
        ("dns", "host.example.com", "host.example.com", True),
        ("dns", "www.host.example.com", "host.example.com", True),
        ("dns", "host1.example.com", "host.example.com", False),
        ("dns", "myhost.example.com", "host.example.com", False),
        ("dns", "A.EXAMPLE.com", "example.COM", True),
        ("dns", "anything.org", "", True),
        ("dns", "*.example.com", "example.com", True),
        ("dns", "*.example.com", "www.example.com", None),
        ("dns", "*.example.org", "example.com", False),
        ("dns", "www.example.com", ".example.com", None),
        ("ip", "192.0.2.1", "192.0.2.0/24", True),
        ("ip", "192.0.3.1", "192.0.2.0/24", False),
        ("ip", "2001:db8::1", "0.0.0.0/0", False),
        ("mail", "root@example.com", "root@example.com", True),
        ("mail", "Root@example.com", "root@example.com", False),
        ("mail", "root@EXAMPLE.com", "root@example.com", True),
        ("mail", "a@example.com", "example.com", True),
        ("mail", "a@mail.example.com", "example.com", False),
        ("mail", "a@mail.example.com", ".example.com", True),
        ("mail", "a@example.com", ".example.com", False),
        ("mail", "no mailbox", "example.com", None),
        ("uri", "https://example.com/x", "example.com", True),
        ("uri", "https://www.example.com/", "example.com", False),
        ("uri", "https://www.example.com/", ".example.com", True),
        ("uri", "https://example.com/", ".example.com", False),
        ("uri", "urn:x", "example.com", None),
        ("uri", "https://192.0.2.1/", "example.com", None),
        ("directory", (("O", "Example"), ("CN", "x")), (("O", "example "),), True),
        ("directory", (("O", "Other"),), (("O", "Example"),), False),
        ("directory", (("O", "x"),), (), True),
        ("directory", (), (("O", "Example"),), False),
        ("other", "1.2.3", "1.2.3", None),
    ]

    def test_each_form_by_the_text_of_the_rule(self):
        for form, name, constraint, expected in self.TABLE:
            self.assertIs(oracle.within((form, name), (form, constraint)), expected, (name, constraint))

    def test_every_authority_must_permit_and_none_exclude(self):
        name = [("dns", "www.example.com")]
        permit, other = (("dns", "example.com"),), (("dns", "example.org"),)
        self.assertIsNone(oracle.violation(name, [(permit, ()), (permit, ())]))
        self.assertEqual(oracle.violation(name, [(permit, ()), (other, ())]), "dns")
        self.assertEqual(oracle.violation(name, [(permit, permit)]), "dns")
        self.assertIsNone(oracle.violation(name, [((("mail", "example.com"),), ())]))
        self.assertEqual(oracle.violation([("other", "1.2.3")], [((("other", "1.2.3"),), ())]), "?")

    def test_hosts_are_identified_by_names_of_their_kind(self):
        for names_, host, expected in [
            ([("dns", "www.example.com")], "WWW.example.com", True),
            ([("dns", "*.example.com")], "www.example.com", True),
            ([("dns", "*.example.com")], "example.com", False),
            ([("dns", "*.example.com")], "a.b.example.com", False),
            ([("dns", "*.com")], "example.com", None),
            ([("dns", "192.0.2.1")], "192.0.2.1", False),
            ([("ip", "2001:db8::1")], "2001:DB8:0::1", True),
            ([("dns", "www.*.com")], "www.example.com", None),
            ([("dns", "example.com.")], "example.com", None),
            ([], "example.com", False),
        ]:
            self.assertIs(oracle.identifies(names_, host), expected, (names_, host))


class RevocationOracleTests(unittest.TestCase):
    """What must be refused by what is known of the evidence."""

    def said(self, *evidence, mode="hard", oddity="", profile="webpki"):
        return revocation.oracle(revocation.Spec(evidence, mode, oddity), profile)

    @staticmethod
    def piece(kind, target="server", **odd):
        return words.plain(kind, target).but(**odd)

    def test_clean_current_evidence_about_both_is_enough(self):
        for kind in ("list", "response"):
            self.assertEqual(self.said(self.piece("list", "issuing"), self.piece(kind)), "accept")

    def test_hard_needs_evidence_about_both(self):
        self.assertEqual(self.said(self.piece("list", "issuing")), "no status: server")
        self.assertEqual(self.said(self.piece("list")), "no status: issuing")
        self.assertIsNone(self.said(mode="soft"))

    def test_impostors_clear_nothing_and_revoke_nothing(self):
        above = self.piece("list", "issuing")
        for signer, (_, genuine) in signers.LISTS.items():
            if genuine is False:
                self.assertEqual(self.said(above, self.piece("list", signer=signer)), "no status: server", signer)
                impostor = self.piece("list", signer=signer, says="revoking")
                self.assertEqual(self.said(above, self.piece("list"), impostor), "accept", signer)

    def test_a_younger_impostor_hides_nothing(self):
        self.assertEqual(
            self.said(
                self.piece("list", "issuing"),
                self.piece("list", says="revoking"),
                self.piece("list", signer="of an impostor below a sibling CA", time="younger"),
            ),
            "revoked: server",
        )

    def test_the_youngest_genuine_evidence_counts(self):
        above = self.piece("list", "issuing")
        revoked = self.piece("list", says="revoking", time="older")
        self.assertIsNone(self.said(above, revoked, self.piece("list")))
        self.assertEqual(
            self.said(above, self.piece("list", says="revoking"), self.piece("response", time="older")),
            "revoked: server",
        )

    def test_stale_damaged_and_foreign_evidence_clears_nothing(self):
        above = self.piece("list", "issuing")
        for odd in ({"time": "stale"}, {"form": "damaged"}, {"scope": "for the other kind"}):
            self.assertEqual(self.said(above, self.piece("list", **odd)), "no status: server", odd)
        self.assertEqual(self.said(above, self.piece("response", whose="of another serial")), "no status: server")

    def test_SHA_1_may_clear_in_profile_legacy_alone(self):
        above, weak = self.piece("list", "issuing"), self.piece("list", form="over SHA-1")
        self.assertEqual(self.said(above, weak), "no status: server")
        self.assertIsNone(self.said(above, weak, profile="legacy"))


class ClassTests(unittest.TestCase):
    @staticmethod
    def sides(ours, *theirs):
        situation = families.fields(1, 0)
        found = classes.disagreements("fields", situation, {"webpki": ours}, list(theirs))
        return [(case.side, len(case.theirs)) for case in found]

    def test_sides(self):
        yes, no = ("a", "accept", ""), ("b", "reject", "x")
        self.assertEqual(self.sides(ACCEPT, yes), [])
        self.assertEqual(self.sides(REJECT, no), [])
        self.assertEqual(self.sides(ACCEPT, no, ("c", "reject", "y")), [("alone", 2)])
        self.assertEqual(self.sides(ACCEPT, yes, no), [("we", 1)])
        self.assertEqual(self.sides(REJECT, yes), [("refused", 1)])
        self.assertEqual(self.sides(REJECT, yes, no), [("peer", 1)])
        self.assertEqual(self.sides(ACCEPT, ("a", "crash", "crash")), [("alone", 1)])

    def test_an_oracle_that_refuses_makes_an_accept_ours_alone(self):
        situation = families.fields(1, 0)
        situation.oracle = "revoked: server"
        [case] = classes.disagreements("fields", situation, {"webpki": ACCEPT}, [("openssl", "accept", "")])
        self.assertEqual(case.side, "alone")
        self.assertIsNone(classes.explanation(ROWS, case))

    def test_no_row_explains_what_we_alone_accept_without_a_mutation_or_a_peer_reason(self):
        for family in FAMILIES:
            case = Disagreement("alone", family, "nothing", "webpki", "accept", (("openssl", "an unheard-of reason"),))
            self.assertIsNone(classes.explanation(ROWS, case), family)

    def test_no_row_explains_that_a_good_path_is_refused(self):
        for side, theirs in (("refused", (("openssl", "accepts"), ("go", "accepts"))), ("peer", (("go", "accepts"),))):
            case = Disagreement(side, "fields", "nothing", "webpki", "unknown-issuer", theirs)
            self.assertIsNone(classes.explanation(ROWS, case))

    def test_a_combination_is_explained_where_each_peer_refuses_a_part(self):
        parts = (
            ("openssl", "invalid or inconsistent certificate policy extension"),
            ("go", "unreadable: x"),
            ("pyca", "validation failed: an EE rule"),
        )
        both = Disagreement("alone", "recombination", "server: a + root: b", "webpki", "accept", parts)
        self.assertEqual(classes.explanation(ROWS, both), classes.COMBINED)
        one = Disagreement("alone", "recombination", "server: a", "webpki", "accept", parts)
        self.assertIsNone(classes.explanation(ROWS, one))

    def test_every_row_of_the_dangerous_kind_names_a_rule_and_a_section(self):
        for row in ROWS:
            if "alone" in row.sides:
                self.assertRegex(row.why, r"RFC \d+ §|SecRevocationServer", row.name)

    def test_the_table_in_the_documentation_is_that_of_the_rows(self):
        document = (FOLDER.parent / "docs/differential.md").read_text()
        self.assertIn("\n".join(classes.table(ROWS)), document)


class ExpectationTests(unittest.TestCase):
    def test_a_self_issued_authority_is_not_held_to_constraints(self):
        spec = names.Spec(
            (("dns", "www.example.com"),),
            (((("directory", (("O", "Example"),)),), ()), ((), ())),
            True,
            "www.example.com",
        )
        self.assertEqual(names.expected(spec), "accept")

    def test_a_subject_is_a_name(self):
        spec = names.Spec(
            (("dns", "www.example.com"),), (((), (("directory", (("O", "Example"),)),)), ((), ())), False, None
        )
        self.assertEqual(names.expected(spec), "constraints: directory")


if __name__ == "__main__":
    unittest.main()
