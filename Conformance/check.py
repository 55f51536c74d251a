#!/usr/bin/env python3
"""Compares the results of conformance runs with the exceptions written down in expectations.txt.

    check.py RESULTS.json...

RESULTS.json is what the suites' driver writes with --out. Every case must be answered correctly unless a line of
expectations.txt names it, or a pattern with asterisks that fits it, with the same outcome. A listed case that is now answered correctly fails too: the list says
what is true, or it is changed.
"""
import fnmatch
import json
import pathlib
import sys


def expectations(path):
    """{case id: (outcome, reason)}; a line is `id | outcome | reason`."""
    expected = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            identifier, outcome, reason = (part.strip() for part in line.split("|", 2))
            expected[identifier] = (outcome, reason)
    return expected


def wanted(identifier, expected):
    """The outcome of a case: its own line's, a pattern's, or correct."""
    if identifier in expected:
        return expected[identifier][0]
    patterns = (outcome for pattern, (outcome, _) in expected.items() if "*" in pattern and fnmatch.fnmatch(identifier, pattern))
    return next(patterns, "correct")


def main(files):
    expected = expectations(pathlib.Path(__file__).with_name("expectations.txt"))
    unexpected, seen = [], set()
    for file in files:
        for result in json.loads(pathlib.Path(file).read_text())["results"]:
            identifier, outcome = result["id"], result["outcome"]
            seen.add(identifier)
            want = wanted(identifier, expected)
            if outcome != want:
                unexpected.append(f"{identifier}: {outcome}, expected {want} ({result.get('reason') or 'no reason'})")
    # A pattern is about a suite that may not be at hand.
    stale = [identifier for identifier in expected if identifier not in seen and "*" not in identifier]
    for line in unexpected:
        print("unexpected:", line)
    for identifier in stale:
        print("no such case:", identifier)
    print(f"{len(seen) - len(unexpected)} as expected, {len(unexpected)} not, {len(expected)} listed exceptions")
    return 1 if unexpected or stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
