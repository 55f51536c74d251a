#!/usr/bin/env python3
"""Compares the results of conformance runs with the exceptions written down in expectations.txt.

    check.py RESULTS.json...

RESULTS.json is what the suites' driver writes with --out. Every case must be answered correctly unless a line of
expectations.txt names it with the same outcome. A listed case that is now answered correctly fails too: the list says
what is true, or it is changed.
"""
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


def main(files):
    expected = expectations(pathlib.Path(__file__).with_name("expectations.txt"))
    unexpected, seen = [], set()
    for file in files:
        for result in json.loads(pathlib.Path(file).read_text())["results"]:
            identifier, outcome = result["id"], result["outcome"]
            seen.add(identifier)
            want = expected.get(identifier, ("correct", ""))[0]
            if outcome != want:
                unexpected.append(f"{identifier}: {outcome}, expected {want} ({result.get('reason') or 'no reason'})")
    stale = [identifier for identifier in expected if identifier not in seen]
    for line in unexpected:
        print("unexpected:", line)
    for identifier in stale:
        print("no such case:", identifier)
    print(f"{len(seen) - len(unexpected)} as expected, {len(unexpected)} not, {len(expected)} listed exceptions")
    return 1 if unexpected or stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
