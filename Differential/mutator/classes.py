"""The table of explained disagreements, `classes.ini`, and which of its rows a disagreement belongs to.

A row names what was done (`mutation`; `needs`: what must be in the whole of it), in which profiles (`profiles`), our
reason (`ours`, where we refuse) and the peers' reasons (`theirs`, lines of `peer: reason`); all are patterns as file
names have them, each line one. `side` is

- `alone`: we accept, and every peer that judged, or the oracle, refuses. The dangerous kind: `why` names a rule and
  its section.
- `refused`: we refuse, and every peer accepts.
- `we`: we accept, this peer refuses, and another one accepts too.
- `peer`: we refuse, this peer accepts, and another one refuses too.
"""

import configparser
import dataclasses
import fnmatch
import functools
import re


@dataclasses.dataclass(frozen=True)
class Disagreement:
    """We and one peer about one situation; for `alone`, `theirs` has every judge that refuses."""

    side: str
    family: str
    mutation: str
    profile: str
    ours: str
    theirs: tuple
    # All that was done, where `mutation` is a part of it.
    whole: str = ""

    @property
    def key(self):
        return (self.side, self.family, self.mutation, self.ours, self.theirs)


class Row:
    def __init__(self, name, section):
        self.name, self.why = name, " ".join(section["why"].split())
        self.sides = section["side"].split()
        self.families = self._patterns(section.get("family", "*"))
        self.mutations = self._patterns(section.get("mutation", "*"))
        self.needs = self._patterns(section.get("needs", "*"))
        self.profiles = self._patterns(" ".join(section.get("profiles", "*").split()).replace(" ", "\n"))
        self.ours = self._patterns(section.get("ours", "*"))
        self.theirs = [
            tuple(part.strip() for part in line.split(":", 1))
            for line in section.get("theirs", "").strip().splitlines()
        ] or [("*", "*")]

    @staticmethod
    def _patterns(value):
        return [line.strip() for line in value.strip().splitlines()]

    def explains(self, case):
        return (
            case.side in self.sides
            and matches(case.family, self.families)
            and self._explains_mutation(case.mutation)
            and matches(case.whole or case.mutation, self.needs)
            and matches(case.profile, self.profiles)
            and matches(case.ours, self.ours)
            and all(self._explains_peer(peer, reason) for peer, reason in case.theirs)
        )

    def _explains_mutation(self, mutation):
        """Of several mutations one is enough."""
        return any(matches(part, self.mutations) for part in mutation.split(" + "))

    def _explains_peer(self, peer, reason):
        """For `alone`, a peer that no line names may have any reason of its own; the oracle's is always named."""
        named = [pattern for name, pattern in self.theirs if fnmatch.fnmatchcase(peer, name)]
        if "alone" in self.sides and reason == "accepts":
            return True
        if peer == "oracle" and reason != "accepts":
            named = [pattern for name, pattern in self.theirs if name == "oracle"]
        return matches(reason, named) if named else "alone" in self.sides and peer != "oracle"


def matches(value, patterns):
    return any(_pattern(pattern).match(value) for pattern in patterns)


@functools.lru_cache(maxsize=None)
def _pattern(pattern):
    """Only `*` is special: reasons have brackets and question marks in them."""
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")) + r"\Z", re.S)


def load(path):
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str
    with open(path) as file:
        parser.read_file(file)
    return [Row(name, parser[name]) for name in parser.sections()]


COMBINED = "oddities that are refused one by one"


# Parts of a situation that are as they should be.
PLAIN = [
    "mode *",
    "*: list clean",
    "*: response good",
    "issuing: nothing",
    "server names a point",
    "issuing constrained",
    "* with no check",
]


def explanation(rows, case):
    """The name of the row that explains a disagreement.

    What we alone accept is as simple as it can be, so that every part of it is needed: each needs a row. A combination
    of changes that no peer refuses for the whole of it is explained where each peer's reason is.
    """
    if case.side != "alone":
        return next((row.name for row in rows if row.explains(case)), None)
    parts = [part for part in case.mutation.split(" + ") if not matches(part, PLAIN)] or [case.mutation]
    each = [dataclasses.replace(case, mutation=part, whole=case.mutation) for part in parts]
    found = [next((row.name for row in rows if row.explains(one)), None) for one in each]
    if all(found):
        return found[0]
    if case.family != "recombination" or len(parts) < 2:
        return None
    each = [dataclasses.replace(case, side="we", theirs=(item,)) for item in case.theirs if item[1] != "accepts"]
    return COMBINED if all(any(row.explains(one) for row in rows) for one in each) else None


def disagreements(family, situation, ours, theirs):
    """Every disagreement about a situation: `ours` is {profile: (verdict, reason, detail)}, `theirs` a list of
    (peer, verdict, reason).
    """
    found = []
    for profile, (verdict, reason, _) in ours.items():
        judged = theirs + _oracle(situation, profile)
        refusing = tuple((peer, why) for peer, said, why in judged if said != "accept")
        accepting = tuple((peer, "accepts") for peer, said, _ in judged if said == "accept")
        if verdict == "accept":
            is_oracle_against = any(peer == "oracle" for peer, _ in refusing)
            if refusing and (not accepting or is_oracle_against):
                found.append(Disagreement("alone", family, situation.mutation, profile, "accept", refusing + accepting))
            else:
                found += [
                    Disagreement("we", family, situation.mutation, profile, "accept", (item,)) for item in refusing
                ]
        else:
            if accepting and not refusing:
                found.append(Disagreement("refused", family, situation.mutation, profile, reason or verdict, accepting))
            else:
                found += [
                    Disagreement("peer", family, situation.mutation, profile, reason or verdict, (item,))
                    for item in accepting
                ]
    return found


def _oracle(situation, profile):
    said = situation.oracles.get(profile, situation.oracle)
    if said is None:
        return []
    return [("oracle", "accept", "") if said == "accept" else ("oracle", "reject", said)]


def table(rows):
    """The rows as the table of docs/differential.md."""
    yield "| class | who accepts | why |"
    yield "|---|---|---|"
    who = {"alone": "**we alone**", "refused": "all but us", "we": "we and some", "peer": "some"}
    for row in rows:
        yield f"| {row.name} | {', '.join(who[side] for side in row.sides)} | {row.why} |"
