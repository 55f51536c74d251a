"""The reader of Go's tests and of Go's literals, on small sources."""

import unittest

from . import fixtures
from .reading import ReadingTests
from readers import go_literals, golang
from readers.case import SERVER_AUTH
from readers.made import NOW

VERIFY = """
type verifyTest struct { name string }
var verifyTests = []verifyTest{
	{
		name:          "Valid",
		leaf:          someLeaf,
		intermediates: []string{between, root},
		roots:         []string{root}, // a remark
		currentTime:   1769904000,
		dnsName:       "www.example.com",
		expectedChains: [][]string{
			{"a", "b"},
		},
	},
	{
		leaf:          someLeaf,
		roots:         []string{root},
		currentTime:   1,
		keyUsages:     []ExtKeyUsage{ExtKeyUsageAny},
		errorCallback: expectHostnameError("of { braces"),
	},
}
const someLeaf = `%s`
var between = `%s`
const root = `%s`

func TestValidHostname(t *testing.T) {
	tests := []struct {
		host                     string
		validInput, validPattern bool
	}{
		{host: "example.com", validInput: true, validPattern: true},
		{host: "*.example.com", validPattern: true},
	}
}

func TestEKUEnforcement(t *testing.T) {
	tests := []struct { name string }{
		{
			name:       "valid",
			root:       ekuDescs{},
			inters:     []ekuDescs{ekuDescs{EKUs: []ExtKeyUsage{ExtKeyUsageServerAuth}}},
			leaf:       ekuDescs{EKUs: []ExtKeyUsage{ExtKeyUsageServerAuth}},
			verifyEKUs: []ExtKeyUsage{ExtKeyUsageServerAuth},
		},
		{
			name:       "invalid",
			root:       ekuDescs{},
			inters:     []ekuDescs{ekuDescs{Unknown: []asn1.ObjectIdentifier{{1, 2, 3}}}},
			leaf:       ekuDescs{},
			verifyEKUs: []ExtKeyUsage{ExtKeyUsageServerAuth, ExtKeyUsageClientAuth},
			err:        "x509: no",
		},
	}
}
"""
CONSTRAINTS = """
var nameConstraintsTests = []nameConstraintsTest{
	// #0
	{
		roots: make([]constraintsSpec, 1),
		leaf: leafSpec{
			sans: []string{"dns:example.com"},
		},
	},
	{
		roots: []constraintsSpec{
			{
				bad: []string{"ip:10.0.0.0/8"},
			},
		},
		intermediates: [][]constraintsSpec{
			{
				{
					ok: []string{"dns:example.com"},
				},
				{},
			},
		},
		leaf: leafSpec{
			sans: []string{"dns:example.com", "ip:10.0.0.1"},
			cn: "a",
		},
		expectedError: "is excluded",
	},
}

func TestBadNamesInConstraints(t *testing.T) {
	badNames := []struct {
		name    string
		matcher func(error) bool
	}{
		{"dns:foo.com.", constraintParseError},
	}
}
"""


def sources(folder):
    path = folder / golang.FOLDER
    path.mkdir(parents=True)
    ders = (fixtures.LEAF_DER, fixtures.BETWEEN_DER, fixtures.ROOT_DER)
    (path / "verify_test.go").write_text(VERIFY % tuple(map(fixtures.certificate, ders)))
    (path / "name_constraints_test.go").write_text(CONSTRAINTS)
    return folder


class GoTests(ReadingTests):
    def setUp(self):
        super().setUp()
        self.cases = self.read(golang, sources)

    def test_every_table_is_read(self):
        self.assertEqual(
            {name.removeprefix("golang::"): case.is_accepted for name, case in self.cases.items()},
            {
                "verify::1 Valid": True,
                "verify::2": False,
                "host::'example.com'": True,
                "host::'*.example.com'": False,
                "usages::valid": True,
                "usages::invalid": False,
                "constraints::#0": True,
                "constraints::#1": False,
                "bad constraints::'dns:foo.com.'": False,
            },
        )

    def test_certificates_names_and_moments_are_those_of_the_table(self):
        request = self.cases["golang::verify::1 Valid"].request
        self.assertEqual(request["leaf"], fixtures.text(fixtures.LEAF_DER))
        self.assertEqual(request["roots"], [fixtures.text(fixtures.ROOT_DER)])
        self.assertEqual(len(request["intermediates"]), 2)
        self.assertEqual((request["time"], request["peer_name"]["value"]), (NOW, "www.example.com"))

    def test_usages_are_servers_unless_the_table_says_otherwise(self):
        asked = [self.cases["golang::verify::" + name].request for name in ("1 Valid", "2")]
        self.assertEqual([item["purpose"] for item in asked], ["server", "any"])
        self.assertEqual([item["eku"] for item in asked], [[SERVER_AUTH], []])
        self.assertTrue(self.cases["golang::usages::invalid"].skipped)

    def test_certificates_are_made_for_each_level(self):
        request = self.cases["golang::constraints::#1"].request
        self.assertEqual((len(request["roots"]), len(request["intermediates"])), (1, 2))
        self.assertNotEqual(*request["intermediates"])

    def test_something_else_is_refused(self):
        with self.assertRaises(SystemExit):
            list(golang.cases(self.folder / "src", 0))


class LiteralTests(unittest.TestCase):
    def read(self, literal):
        return go_literals.variable(f"var x = {literal}\nvar y = 1", "x")

    def test_lists_fields_and_names(self):
        self.assertEqual(
            self.read('[]T{{a: 1, b: &B{-2}}, {"x", nil}, {}}'), [{"a": 1, "b": [-2]}, ["x", None], []]
        )
        self.assertEqual(self.read("[]T{true, false, some.Name, call(1, f(2))}"), [True, False, "some.Name", "call"])

    def test_texts(self):
        self.assertEqual(self.read(r'[]string{"a\"}\n\x41", `b\n}`, "–"}'), ['a"}\nA', "b\\n}", "–"])

    def test_types_that_are_written_out(self):
        self.assertEqual(self.read("[]struct{ a int; b struct{ c int } }{{1}}"), [[1]])
        self.assertEqual(self.read("[]X{{make([]T, 2)}}"), [[[{}, {}]]])

    def test_a_name_that_is_not_there_is_an_error(self):
        with self.assertRaises(ValueError):
            go_literals.variable("var x = []int{}", "y")
