#!/usr/bin/env python3
"""Runs the step of action.yml as GitHub does, under `bash -eo pipefail`, with the wheel of a folder.

    packaging/tests/action.py FOLDER PORT    FOLDER is that of packaging/run, PORT of a server with a certificate for other.test
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLIST = """<?xml version="1.0"?>
<plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>
  <key>{}</key><true/>
</dict></dict></plist>
"""
PINS = """<?xml version="1.0"?>
<plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict><key>api.test</key>
  <dict><key>NSPinnedLeafIdentities</key><array><dict><key>SPKI-SHA256-BASE64</key><string>short</string></dict></array></dict>
</dict></dict></dict></plist>
"""


def main():
    dist, port = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "good.plist").write_text(PLIST.format("NSAllowsLocalNetworking"))
        (folder / "bad.plist").write_text(PLIST.format("NSAllowsArbitraryLoad"))
        (folder / "pins.plist").write_text(PINS)
        server = [f"wrong.test:{port}", "--connect-to", "127.0.0.1"]
        url = [f"https://wrong.test:{port}/", "--connect-to", "127.0.0.1"]
        cases = [
            ("ats lint", ["good.plist"], 0, ""),
            ("ats lint", ["bad.plist"], 1, "::error file=bad.plist,line=3,"),
            ("ats lint", ["none.plist"], 2, ""),
            ("check", server, 1, "::error title=servertrust check::NOT TRUSTED"),
            ("check", ["wrong.test:1", "--connect-to", "127.0.0.1"], 2, "::error title=servertrust check::"),
            ("diagnose", url, 1, "::error "),
            ("pins check", ["pins.plist"], 1, "::error title=servertrust pins check::"),
            ("evaluate", ["x"], 2, "command is one of"),
        ]
        for command, arguments, code, shown in cases:
            case(folder, dist, command, arguments, code, shown)
        # An injected command of the workflow stays an argument.
        case(folder, dist, "check", ["$(touch injected)"], 2, "")
        if (folder / "injected").exists():
            raise SystemExit("✘ arguments reach a shell")


def case(folder, dist, command, arguments, code, shown):
    output, sarif = folder / "output", folder / "servertrust.sarif"
    for path in [output, sarif]:
        path.unlink(missing_ok=True)
    step = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][0]
    environment = {
        **os.environ, "ACTION": str(ROOT), "GITHUB_OUTPUT": str(output), "SERVERTRUST_COMMAND": command,
        "SERVERTRUST_ARGUMENTS": "\n".join(arguments), "SERVERTRUST_SARIF": sarif.name, "RUNNER_TEMP": str(folder),
        "SERVERTRUST_PATH": program(folder, dist), "SERVERTRUST_VERSION": "",
    }
    result = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder,
                            env=environment, capture_output=True, text=True)
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    name = f"{command} {arguments[0]}"
    if result.returncode != code or outputs["exit-code"] != str(code) or shown not in result.stdout:
        raise SystemExit(f"✘ {name}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    if outputs.get("sarif") and sarif.exists() and json.loads(sarif.read_text())["version"] != "2.1.0":
        raise SystemExit(f"✘ {name}: no SARIF 2.1.0")
    print(f"✔ {name}: {code}")


def program(folder, dist):
    """The program of the wheel, which is installed once."""
    path = folder / "venv/bin/servertrust"
    if not path.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        subprocess.run([folder / "venv/bin/pip", "install", "--quiet", "servertrust", "--no-index", "--find-links", dist],
                       check=True)
    return str(path)


if __name__ == "__main__":
    main()
