"""BetterTLS (github.com/Netflix/bettertls): a checkout, or what `bettertls export-tests --out FILE` writes.

The tests are made when they are exported, and valid from then on for a year.
"""

import base64
import json
import pathlib
import subprocess
import tempfile

from .case import SERVER_AUTH, Case, validate

PROFILES = ("rfc5280",)


def cases(path, time):
    path = pathlib.Path(path)
    exported = json.loads(_export(path) if path.is_dir() else path.read_text())
    root = base64.b64decode(exported["trustRoot"])
    for suite, tests in exported["suites"].items():
        for test in tests["testCases"]:
            leaf, *above = (base64.b64decode(item) for item in test["certificates"])
            request = validate(
                leaf,
                [root],
                above,
                time=time,
                purpose="server",
                eku=[SERVER_AUTH],
                peer_name={"kind": "HOST", "value": test["hostname"]},
            )
            yield Case(
                f"bettertls::{suite}::{test['id']}",
                f"bettertls::{suite}",
                test["expected"] == "ACCEPT",
                request,
                PROFILES,
                is_open=test.get("failureIsWarning", False),
            )


def _export(checkout):
    """Needs Go, and the modules the checkout names."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "tests.json"
        subprocess.run(
            ["go", "run", "./cmd/bettertls", "export-tests", "--out", str(file)],
            cwd=checkout / "test-suites",
            check=True,
            timeout=900,
        )
        return file.read_text()
