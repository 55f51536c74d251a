"""The signatures that are made: controls verify, and nothing else does by a second opinion."""

import base64
import unittest

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding
from cryptography.hazmat.primitives.hashes import SHA256

from . import fixtures
from readers import signatures
from readers.der import children

NEGATED = "s negated, which is as good"


def verifies(case):
    """Whether the root's key verifies the leaf's signature over SHA-256, by pyca."""
    root = x509.load_der_x509_certificate(base64.b64decode(case.request["roots"][0]))
    body, _, field = children(children(base64.b64decode(case.request["leaf"]))[0][1])
    key, signature = root.public_key(), field[1][1:]
    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, body[2], ec.ECDSA(SHA256()))
        elif isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, body[2])
        elif "::pss::" in case.id:
            key.verify(signature, body[2], padding.PSS(padding.MGF1(SHA256()), padding.PSS.AUTO), SHA256())
        else:
            key.verify(signature, body[2], padding.PKCS1v15(), SHA256())
    except Exception:
        return False
    return True


class SignatureTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = {case.id: case for case in signatures.cases(None, fixtures.NOW)}

    def test_every_group_has_a_control_and_many_faults(self):
        groups = {}
        for case in self.cases.values():
            groups.setdefault(case.group, []).append(case.is_accepted)
        self.assertEqual(len(groups), 7)
        for group, accepted in groups.items():
            self.assertTrue(any(accepted) and accepted.count(False) > 20, group)

    def test_controls_verify(self):
        accepted = [case for case in self.cases.values() if case.is_accepted]
        self.assertEqual([case.id for case in accepted if not verifies(case)], [])

    def test_faults_of_ecdsa_pkcs1_and_ed25519_verify_nowhere(self):
        faults = [case for case in self.cases.values() if not case.is_accepted and "::pss::" not in case.id]
        self.assertEqual([case.id for case in faults if verifies(case)], [])

    def test_faults_are_told_apart(self):
        leaves = [case.request["leaf"] for case in self.cases.values() if "::pss::" not in case.id]
        # The controls of PKCS #1 and of its padding are one signature, for two keys.
        self.assertEqual(len(leaves) - len(set(leaves)), 2)

    def test_the_forged_cube_needs_no_private_key(self):
        cube = self.cases["signatures::pkcs1 e=3::cube root"]
        _, _, field = children(children(base64.b64decode(cube.request["leaf"]))[0][1])
        block = (int.from_bytes(field[1][1:], "big") ** 3).to_bytes(256, "big")
        self.assertTrue(block.startswith(b"\x00\x01" + b"\xff" * 8 + b"\x00\x30\x31"))

    def test_negated_values_are_as_good(self):
        self.assertTrue(verifies(self.cases["signatures::ecdsa P-256::" + NEGATED]))

    def test_pss_is_never_expected_of_apple(self):
        expected = [case.id for case in self.cases.values() if "::pss::" in case.id and "apple" in case.profiles]
        self.assertTrue(expected)
        self.assertFalse([name for name in expected if self.cases[name].is_accepted])


if __name__ == "__main__":
    unittest.main()
