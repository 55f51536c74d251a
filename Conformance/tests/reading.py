"""What tests of readers share: a folder of their own, and the cases by name."""

import pathlib
import tempfile
import unittest

from . import fixtures


class ReadingTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read(self, reader, make):
        return {case.id: case for case in reader.cases(make(self.folder), fixtures.NOW)}
