"""Writes a wheel of Python that carries the program: `pip install servertrust`, `python -m servertrust`."""
import base64
import hashlib
import time
import zipfile

from components import ROOT

SUMMARY = "Decides whether a TLS server may be trusted, as Apple's systems do, and says why."

MAIN = '''"""Runs the program that this package carries."""
import os
import sys
import sysconfig


def find_program():
    """Returns the path of the program in the environment, the user's folder or the target folder of pip."""
    schemes = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))]
    target = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")
    for folder in [*schemes, target]:
        path = os.path.join(folder, "servertrust")
        if os.path.isfile(path):
            return path
    raise FileNotFoundError("servertrust: the program is not in " + ", ".join([*schemes, target]))


if __name__ == "__main__":
    path = find_program()
    os.execv(path, [path, *sys.argv[1:]])
'''


def write_wheel(folder, tree, program, machine, epoch, home):
    """Writes the wheel to a folder, and returns its path."""
    name = f"{program.name}-{program.version}"
    info = f"{name}.dist-info"
    tag = f"py3-none-manylinux_2_34_{machine}"
    files = {
        "servertrust/__init__.py": b'"""The program servertrust; `python -m servertrust` runs it."""\n',
        "servertrust/__main__.py": MAIN.encode(),
        f"{name}.data/scripts/servertrust": (tree / "bin/servertrust").read_bytes(),
        f"{info}/METADATA": metadata(program, home).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: packaging/run\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    # Manual pages and completions; pipx shows the pages to man.
    for path in sorted(tree.glob("share/*/**/*")):
        if path.is_file() and "doc" not in path.relative_to(tree).parts:
            files[f"{name}.data/data/{path.relative_to(tree)}"] = path.read_bytes()
    for document in ["LICENSE", "NOTICE", "copyright"]:
        files[f"{info}/licenses/{document}"] = (tree / "share/doc/servertrust" / document).read_bytes()
    record = f"{info}/RECORD"
    rows = [f"{path},sha256={digest(octets)},{len(octets)}\n" for path, octets in files.items()]
    files[record] = ("".join(rows) + f"{record},,\n").encode()

    output = folder / f"{name}-{tag}.whl"
    with zipfile.ZipFile(output, "w") as archive:
        for path, octets in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(epoch)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            archive.writestr(entry, octets, compresslevel=9)
    return output


def metadata(program, home):
    lines = ["Metadata-Version: 2.4", f"Name: {program.name}", f"Version: {program.version}", f"Summary: {SUMMARY}",
             "Keywords: tls,certificates,x509,app-transport-security", f"License-Expression: {program.license}",
             "License-File: LICENSE", "License-File: NOTICE", "License-File: copyright", "Requires-Python: >=3.10",
             "Classifier: Environment :: Console", "Classifier: Operating System :: POSIX :: Linux",
             "Classifier: Topic :: Security :: Cryptography", "Description-Content-Type: text/markdown"]
    if home:
        lines.append(f"Project-URL: Repository, {home}")
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text()


def digest(octets):
    return base64.urlsafe_b64encode(hashlib.sha256(octets).digest()).rstrip(b"=").decode()
