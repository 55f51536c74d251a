"""Writes a wheel of Python that carries the program: `pip install servertrust`, `python -m servertrust`."""
import base64
import hashlib
import struct
import time
import zlib

from components import ROOT
from deflate import deflate_compress

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
    output.write_bytes(zip_archive(files, epoch))
    return output


def zip_archive(files, epoch):
    """A zip archive, compressed by libdeflate: zlib, which zipfile uses, makes the wheel 4 % larger."""
    year, month, day, hour, minute, second = time.gmtime(epoch)[:6]
    clock, date = hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day
    entries = directory = b""
    for path, octets in files.items():
        name, packed = path.encode(), bytes(deflate_compress(octets, 12))
        mode = 0o100755 if "/scripts/" in path else 0o100644
        fields = struct.pack("<5H3L2H", 20, 0, 8, clock, date, zlib.crc32(octets), len(packed), len(octets), len(name), 0)
        # 3 stands for Unix, whose modes the entry has.
        directory += b"PK\1\2" + struct.pack("<H", 3 << 8 | 20) + fields
        directory += struct.pack("<3H2L", 0, 0, 0, mode << 16, len(entries)) + name
        entries += b"PK\3\4" + fields + name + packed
    end = struct.pack("<4H2LH", 0, 0, len(files), len(files), len(directory), len(entries), 0)
    return entries + directory + b"PK\5\6" + end


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
