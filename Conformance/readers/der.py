"""The DER reader of Differential/mutator, under a name of its own."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Differential"))
from mutator.der import children  # noqa: E402, F401
