"""The table of breaches that are meant, `relations.ini`: each row says of which relation and change, and why.

`relation`, `change`, `profiles` and `found` are patterns as in classes.ini, each line one.
"""

import configparser

from mutator.classes import matches


class Row:
    def __init__(self, name, section):
        self.name, self.why = name, " ".join(section["why"].split())
        fields = ("relation", "change", "profiles", "found")
        self.patterns = [section[field].strip().splitlines() for field in fields]

    def explains(self, *said):
        return all(matches(value, patterns) for value, patterns in zip(said, self.patterns))


def load(path):
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    with open(path) as file:
        parser.read_file(file)
    return [Row(name, parser[name]) for name in parser.sections()]
