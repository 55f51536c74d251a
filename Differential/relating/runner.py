"""Makes cases, asks, and holds the answers to the relations; what is broken is counted, made smaller and saved."""

import collections
import concurrent.futures
import hashlib
import itertools
import pathlib
import re
import time

from mutator.families import source

from . import hierarchy, papers
from .relations import RELATIONS
from .trial import HELD, IDLE, Answer

BATCH = 20


class Asker:
    """Asks a judge each line once in a batch: many trials begin with the same question."""

    def __init__(self, process):
        self.process, self.lines = process, 0

    def answers(self, trials):
        lines = [[question.line() for question in trial.questions] for trial in trials]
        every = list(dict.fromkeys(itertools.chain.from_iterable(lines)))
        self.lines += len(every)
        known = dict(zip(every, map(Answer.read, self.process.ask(every))))
        return [[known[line] for line in each] for each in lines]

    def verdict(self, trial):
        return trial.verdict(self.answers([trial])[0])


class Report:
    def __init__(self, rows=(), folder=None):
        self.rows, self.folder = rows, folder
        self.held, self.idle, self.broken, self.known = (collections.Counter() for _ in range(4))
        self.breaches = collections.Counter()
        self.profiles, self.examples = collections.defaultdict(set), {}

    def add(self, name, seed, number, trial, said, asker):
        if said is IDLE:
            self.idle[name] += 1
            return
        self.held[name] += said == HELD
        if said == HELD:
            return
        profile = trial.questions[-1].profile
        row = next((row for row in self.rows if row.explains(name, trial.change, profile, said)), None)
        if row:
            self.known[name, row.name] += 1
            return
        self.broken[name] += 1
        # Counts differ from case to case, and are no kind of breach of their own.
        key = (name, re.sub(r"\d+ ", "", trial.change), re.sub(r"\d+", "N", said))
        self.breaches[key] += 1
        self.profiles[key].add(profile)
        if key not in self.examples:
            self.examples[key] = (seed, number, self._save(name, number, smallest(trial, said, asker)))

    def _save(self, name, number, trial):
        """The lines of the questions as a file, for `servertrust conformance <FILE`."""
        if not self.folder:
            return None
        folder = pathlib.Path(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        lines = "".join(question.line() + "\n" for question in trial.questions)
        path = folder / f"{name}-{number}-{hashlib.sha256(lines.encode()).hexdigest()[:8]}.ndjson"
        path.write_text(lines)
        return path

    @property
    def compared(self):
        return sum(self.held.values()) + sum(self.broken.values()) + sum(self.known.values())

    def show(self, limit):
        # What is accepted comes first.
        order = sorted(self.breaches.items(), key=lambda item: (not _is_wrong_accept(item[0][2]), -item[1]))
        for key, count in order[:limit]:
            seed, number, path = self.examples[key]
            profiles = " ".join(sorted(self.profiles[key]))
            print(f"BROKEN {' | '.join(key)} | {profiles} | {count} times")
            print(f"    Differential/run relations --relation {key[0]} --seed {seed} --first {number} --count 1")
            if path:
                print(f"    servertrust conformance <{path}")
        if len(order) > limit:
            print(f"... and {len(order) - limit} kinds of breach more")
        print("\n| relation | held | broken | explained | had nothing to say |\n|---|---|---|---|---|")
        for name in RELATIONS:
            explained = sum(count for (relation, _), count in self.known.items() if relation == name)
            print(f"| {name} | {self.held[name]} | {self.broken[name]} | {explained} | {self.idle[name]} |")
        for (name, row), count in sorted(self.known.items()):
            print(f"explained: {name}, {row}: {count}")


def _is_wrong_accept(found):
    return found.startswith("accept of") or found.endswith("accept")


def smallest(trial, said, asker):
    """The trial with fewer items as long as it is broken in the same way."""
    for _ in range(40):
        smaller = list(trial.smaller())
        judged = zip(smaller, asker.answers(smaller))
        found = next((one for one, answers in judged if one.verdict(answers) == said), None)
        if found is None:
            return trial
        trial = found
    return trial


def table():
    """The relations as the table of docs/differential.md."""
    yield "| relation | rule |"
    yield "|---|---|"
    for name, function in RELATIONS.items():
        yield f"| {name} | {' '.join(function.__doc__.split())} |"


def trials(seed, number, names):
    """The trials of one case: each relation has a random source of its own, so that it makes the same by itself."""
    case = papers.add_evidence(hierarchy.case(seed, number), source(seed, "evidence", number))
    return [(name, number, trial) for name in names for trial in RELATIONS[name](case, source(seed, name, number))]


def run(process, report, names=None, seed=1, first=0, count=100, seconds=3600.0):
    """Whether all cases were judged in time; the next batch is made while one is judged."""
    names, asker, start = names or list(RELATIONS), Asker(process), time.monotonic()
    batches = [range(at, min(at + BATCH, first + count)) for at in range(first, first + count, BATCH)]

    def make(numbers):
        return [trial for number in numbers for trial in trials(seed, number, names)]

    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as pool:
        following = pool.submit(make, batches[0]) if batches else None
        for at in range(len(batches)):
            if time.monotonic() - start > seconds:
                return False
            made = following.result()
            following = pool.submit(make, batches[at + 1]) if at + 1 < len(batches) else None
            answers = asker.answers([trial for _, _, trial in made])
            for (name, number, trial), given in zip(made, answers):
                report.add(name, seed, number, trial, trial.verdict(given), asker)
    return True
