"""What was counted, and how it is shown."""

import base64
import collections
import pathlib

from . import classes, der


class Report:
    def __init__(self, rows, folder=None):
        self.rows, self.folder = rows, folder
        self.judged = collections.Counter()
        self.explained = collections.Counter()
        self.unexplained = {}
        self.counts = collections.Counter()
        self.faults = []

    def add(self, family, number, situation, ours, theirs, found):
        self.judged[family] += 1
        for profile, (verdict, reason, detail) in ours.items():
            if verdict not in ("accept", "reject"):
                self.faults.append(f"{family} {number} ({situation.mutation}), {profile}: {verdict} {detail}")
        for peer, verdict, _ in theirs:
            for profile, answer in ours.items():
                self.counts[family, peer, profile, answer[0] == "accept", verdict == "accept"] += 1
        for case in found:
            self.explain(family, number, situation, case)

    def explain(self, family, number, situation, case):
        name = classes.explanation(self.rows, case)
        if name:
            self.explained[name, case.side] += 1
            return
        entry = self.unexplained.setdefault(case.key, [0, number, set(), situation])
        entry[0] += 1
        entry[2].add(case.profile)

    @property
    def failed(self):
        return bool(self.unexplained or self.faults)

    def show(self, limit):
        for fault in self.faults[:limit]:
            print("FAULT:", fault)
        sides = ("alone", "refused", "we", "peer")
        order = sorted(self.unexplained.items(), key=lambda item: (sides.index(item[0][0]), -item[1][0]))
        for key, (count, number, profiles, situation) in order[:limit]:
            side, family, mutation, reason, theirs = key
            said = "; ".join(f"{peer}: {why}" for peer, why in theirs)
            print(
                f"UNEXPLAINED {side} | {family} {number} | {mutation} | "
                f"ours: {reason} ({' '.join(sorted(profiles))}) | {said} | {count} times"
            )
            if self.folder:
                print("   ", write(self.folder, f"{family}-{number}", situation, min(profiles)))
        if len(order) > limit:
            print(f"... and {len(order) - limit} classes more without an explanation")
        self._show_table()

    def _show_table(self):
        print("\n| family | peer | profile | both accept | both refuse | we alone accept | the peer alone accepts |")
        print("|---|---|---|---|---|---|---|")
        for family, peer, profile in sorted({key[:3] for key in self.counts}):
            row = [
                self.counts[family, peer, profile, *said]
                for said in ((True, True), (False, False), (True, False), (False, True))
            ]
            print(f"| {family} | {peer} | {profile} | " + " | ".join(map(str, row)) + " |")
        print("\n| class | side | cases |\n|---|---|---|")
        for (name, side), count in sorted(self.explained.items(), key=lambda item: -item[1]):
            print(f"| {name} | {side} | {count} |")
        print(
            f"\n{sum(self.judged.values())} situations, {sum(self.explained.values())} disagreements explained, "
            f"{sum(entry[0] for entry in self.unexplained.values())} not, in {len(self.unexplained)} classes; "
            f"{len(self.faults)} without an answer"
        )


def write(folder, stem, situation, profile="apple"):
    """The situation as files, and the command that judges them."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    chain, roots = folder / f"{stem}-chain.pem", folder / f"{stem}-roots.pem"
    chain.write_text("".join(pem("CERTIFICATE", item) for item in [situation.leaf, *situation.intermediates]))
    roots.write_text("".join(pem("CERTIFICATE", item) for item in situation.roots))
    at = der.moment(situation.time).strftime("%Y-%m-%dT%H:%M:%SZ")
    command = [f"servertrust evaluate --profile {profile} --chain {chain} --roots {roots} --anchors-only --at {at}"]
    command.append(f"--host {situation.host}" if situation.host else "--any-host")
    if situation.revocation != "off":
        command.append(f"--revocation {situation.revocation}")
    if situation.lists:
        lists = folder / f"{stem}-lists.pem"
        lists.write_text("".join(pem("X509 CRL", item) for item in situation.lists))
        command.append(f"--crl {lists}")
    for number, response in enumerate(situation.responses):
        path = folder / f"{stem}-{number}.ocsp"
        path.write_bytes(response)
        command.append(f"--ocsp {path}")
    return " ".join(command)


def pem(label, data):
    body = base64.encodebytes(data).decode()
    return f"-----BEGIN {label}-----\n{body}-----END {label}-----\n"
