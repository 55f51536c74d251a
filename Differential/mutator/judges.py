"""The judges: this package's command over its line protocol, OpenSSL, Go and pyca.

Each judge answers a list of situations with a list of (verdict, reason); a judge that is not at hand answers None for
all.
"""

import json
import pathlib
import queue
import re
import shutil
import subprocess
import threading

from .situation import text

HERE = pathlib.Path(__file__).resolve().parent.parent
PROFILES = ("apple", "webpki", "rfc5280", "rfc5280-strict", "legacy")


class LineProcess:
    """A program that answers each line with a line; one that hangs or ends is started again."""

    def __init__(self, command, seconds=10):
        self.command, self.seconds, self.process = command, seconds, None

    def start(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process.stdout, self.lines), daemon=True).start()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.put(line)
        lines.put(None)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process = None

    def ask(self, requests):
        """The answers to lines, in order; `hang` or `crash` for the one that had none."""
        answers = []
        while len(answers) < len(requests):
            if self.process is None:
                self.start()
            rest = requests[len(answers) :]
            threading.Thread(target=self._write, args=(self.process.stdin, rest), daemon=True).start()
            answers += self._answers(len(rest))
        return answers

    @staticmethod
    def _write(stream, lines):
        try:
            for line in lines:
                stream.write(line.encode() + b"\n")
            stream.flush()
        except (OSError, ValueError):
            pass  # The program has ended, which its answers show.

    def _answers(self, count):
        answers = []
        while len(answers) < count:
            try:
                line = self.lines.get(timeout=self.seconds)
            except queue.Empty:
                line, fault = None, "hang"
            else:
                fault = "crash"
            if line is None:
                self.stop()
                return answers + [fault]
            answers.append(line.decode())
        return answers


class Ours:
    """`servertrust conformance`, asked in every profile."""

    name = "ours"

    def __init__(self, command):
        self.process = LineProcess([command, "conformance"])

    def ask(self, situations, profiles):
        """For each situation {profile: (verdict, reason, detail)}."""
        lines = [json.dumps(situation.request("x", profile)) for situation in situations for profile in profiles]
        answers = iter([self._read(line) for line in self.process.ask(lines)])
        return [{profile: next(answers) for profile in profiles} for _ in situations]

    def knows(self, situation, profile):
        """Whether the command has a profile."""
        [answer] = self.ask([situation], [profile])
        return answer[profile][0] != "unsupported"

    @staticmethod
    def _read(line):
        if line in ("hang", "crash"):
            return line, line, ""
        answer = json.loads(line)
        return answer["verdict"], answer.get("reason") or "", answer.get("detail") or ""

    def stop(self):
        self.process.stop()


class OpenSSL:
    """libcrypto through peers/openssl/judge.c."""

    def __init__(self, executable, is_extended=False):
        self.name = "openssl-extended" if is_extended else "openssl"
        self.flags = "e" if is_extended else "-"
        self.process = LineProcess([executable])

    def ask(self, situations):
        return [self._read(line) for line in self.process.ask([self._line(s) for s in situations])]

    def _line(self, situation):
        lists = ([situation.leaf], situation.roots, situation.intermediates, situation.lists, situation.responses)
        fields = ["x", str(situation.time), situation.host or "-", situation.revocation, self.flags]
        return "\t".join(fields + [",".join(text(item) for item in items) for items in lists])

    @staticmethod
    def _read(line):
        if line in ("hang", "crash"):
            return line, line
        _, verdict, reason = line.rstrip("\n").split("\t")
        return verdict, reason

    def judges(self, situation):
        return self.name == "openssl" or situation.revocation != "off"

    def stop(self):
        self.process.stop()


class Go:
    """Go's crypto/x509 through peers/go."""

    name = "go"

    def __init__(self, executable):
        self.process = LineProcess([executable])

    def ask(self, situations):
        return [self._read(line) for line in self.process.ask([json.dumps(s.request("x", "-")) for s in situations])]

    @staticmethod
    def _read(line):
        if line in ("hang", "crash"):
            return line, line
        answer = json.loads(line)
        return answer["verdict"], normalized(answer["reason"])

    def judges(self, situation):
        """Go's verifier knows no revocation."""
        return situation.revocation == "off"

    def stop(self):
        self.process.stop()


class PyCA:
    """The verifier of PyPI's `cryptography`, which needs a name and knows no revocation."""

    name = "pyca"

    def ask(self, situations):
        return [self._judge(situation) if self.judges(situation) else None for situation in situations]

    def judges(self, situation):
        return situation.revocation == "off" and bool(situation.host)

    def _judge(self, situation):
        import datetime
        from cryptography import x509
        from cryptography.x509 import verification

        try:
            roots = self._readable(x509, situation.roots)
            policy = (
                verification.PolicyBuilder()
                .store(verification.Store(roots))
                .time(datetime.datetime.fromtimestamp(situation.time, datetime.timezone.utc).replace(tzinfo=None))
            )
            verifier = policy.build_server_verifier(self._subject(x509, situation.host))
            verifier.verify(
                x509.load_der_x509_certificate(situation.leaf), self._readable(x509, situation.intermediates)
            )
        except verification.VerificationError as error:
            return "reject", normalized(str(error))
        except Exception as error:  # Each field that cannot be read has a kind of error of its own.
            return "reject", normalized("unreadable: " + str(error))
        return "accept", ""

    @staticmethod
    def _subject(x509, host):
        import ipaddress

        try:
            return x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            return x509.DNSName(host)

    @staticmethod
    def _readable(x509, certificates):
        read = []
        for certificate in certificates:
            try:
                read.append(x509.load_der_x509_certificate(certificate))
            except Exception:  # What cannot be read is left out.
                continue
        return read

    def stop(self):
        pass


def normalized(reason):
    """A reason without what differs from case to case: names, numbers and times."""
    reason = re.sub(r"<Certificate\(.*?\)>\)?>?", "CERTIFICATE", reason, flags=re.S)
    reason = re.sub(r'"[^"]*"', '"…"', reason)
    reason = re.sub(r"\b\d{4}-\d\d-\d\d\S*", "DATE", reason)
    reason = re.sub(r"[0-9a-f]{2}(:[0-9a-f]{2})+|\b\d+\b", "N", reason)
    return re.sub(r"\s+", " ", reason)[:160]


def build(folder):
    """The peers that can be built here, in a folder of their own, and what is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    peers, missing = [], []
    compiler, executable = shutil.which("cc"), folder / "openssl-judge"
    source = HERE / "peers/openssl/judge.c"
    if (
        compiler
        and subprocess.run(
            [compiler, "-O2", "-w", "-o", executable, source, "-lcrypto"], capture_output=True
        ).returncode
        == 0
    ):
        peers += [OpenSSL(str(executable)), OpenSSL(str(executable), is_extended=True)]
    else:
        missing.append("OpenSSL (a C compiler and libssl-dev)")
    if (
        shutil.which("go")
        and subprocess.run(
            ["go", "build", "-o", folder / "go-judge", "."], cwd=HERE / "peers/go", capture_output=True
        ).returncode
        == 0
    ):
        peers.append(Go(str(folder / "go-judge")))
    else:
        missing.append("Go (golang-go)")
    try:
        from cryptography.x509 import verification  # noqa: F401

        peers.append(PyCA())
    except ImportError:
        missing.append("pyca (cryptography 42 or later, from PyPI)")
    return peers, missing
