"""Questions, their answers, and trials: a few questions whose answers are held to one law."""

import dataclasses
import json
import re

from mutator.situation import Situation


@dataclasses.dataclass
class Question(Situation):
    """A situation in one profile; `more` has other members of the request, such as `policy` and `max_depth`."""

    profile: str = "webpki"
    more: dict = dataclasses.field(default_factory=dict)

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def with_more(self, **members):
        return self.but(more={**self.more, **members})

    def beside(self, **added):
        """With further items behind those of a list."""
        return self.but(**{field: [*getattr(self, field), *items] for field, items in added.items()})

    def without(self, item):
        lists = ("roots", "intermediates", "lists", "responses")
        return self.but(**{field: [each for each in getattr(self, field) if each != item] for field in lists})

    def line(self):
        return json.dumps({**self.request("x", self.profile), **self.more})


@dataclasses.dataclass(frozen=True)
class Answer:
    verdict: str
    reason: str = ""
    detail: str = ""

    @classmethod
    def read(cls, line):
        if line in ("hang", "crash"):
            return cls(line)
        said = json.loads(line)
        return cls(said["verdict"], said.get("reason") or "", said.get("detail") or "")

    @property
    def accepts(self):
        return self.verdict == "accept"

    @property
    def sentences(self):
        """What is said, whatever its order."""
        return frozenset(re.split(r"(?<=[.!?]) ", self.detail))

    def __str__(self):
        return f"{self.verdict} {self.reason}".strip()


HELD, IDLE = "", None


@dataclasses.dataclass
class Trial:
    """`law` gets the answers in order; it says what is broken, or HELD, or IDLE where it had nothing to hold."""

    change: str
    questions: list
    law: object
    # What must not be left out when a breach is made smaller, as the law knows of it.
    kept: frozenset = frozenset()

    def verdict(self, answers):
        odd = next((answer for answer in answers if answer.verdict not in ("accept", "reject")), None)
        return f"no verdict: {odd.verdict}" if odd else self.law(answers)

    def smaller(self):
        """The trials with one item less in every question."""
        fields = ("intermediates", "lists", "responses", "roots")
        every = {item: None for question in self.questions for field in fields for item in getattr(question, field)}
        for item in every:
            if item not in self.kept:
                yield dataclasses.replace(self, questions=[question.without(item) for question in self.questions])


def same(has_many_paths=False):
    """The same verdict and, unless there are many paths to choose what is said from, the same reasons."""

    def law(answers):
        first, *others = answers
        for other in others:
            if other.verdict != first.verdict:
                return f"{first} became {other}"
            if not has_many_paths and other.sentences != first.sentences:
                return f"{first} became {other}, with other reasons"
        return HELD

    return law


def same_verdict(answers):
    first, *others = answers
    return next((f"{first} became {other}" for other in others if other.verdict != first.verdict), HELD)


def still_accepts(answers):
    """What accepted the first question accepts the others."""
    first, *others = answers
    if not first.accepts:
        return IDLE
    return next((f"{first} became {other}" for other in others if not other.accepts), HELD)


def still_refuses(answers):
    """What refused the first question refuses the others, which are tighter."""
    first, *others = answers
    if all(not other.accepts for other in others):
        return IDLE if first.accepts else HELD
    return HELD if first.accepts else f"{first} became accept"


def union(answers):
    """The first question is accepted exactly where one of the others is."""
    first, *others = answers
    if first.accepts == any(other.accepts for other in others):
        return HELD
    return f"{first}, while of the paths alone {sum(other.accepts for other in others)} are accepted"
