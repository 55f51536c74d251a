"""Readers of public suites in the formats they are published in: each gives cases for `Conformance/suite`."""
