"""The components of the program: the packages that SwiftPM resolved, the C that they carry, what the toolchain links, and data."""
import json
import pathlib
import re
import subprocess
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Component:
    name: str
    version: str
    license: str          # an SPDX expression
    copyright: str
    url: str
    purl: str = None
    text: str = None      # the text of the license, unless LICENSE or Debian's common-licenses has it
    needs: tuple = ()     # names of components that it needs
    is_data: bool = False


# The C in packages: package, file that names the version, pattern of the version, name, license, copyright, address, file of the
# license's text.
CARRIED = [
    ("swift-crypto", "Sources/CCryptoBoringSSL/hash.txt", r"revision (\w+)", "boringssl (swift-crypto)",
     "Apache-2.0", "The OpenSSL Project Authors, Google Inc. and the fiat-crypto authors",
     "https://boringssl.googlesource.com/boringssl", None),
    ("swift-nio-ssl", "Sources/CNIOBoringSSL/hash.txt", r"revision (\w+)", "boringssl (swift-nio-ssl)",
     "Apache-2.0", "The OpenSSL Project Authors, Google Inc. and the fiat-crypto authors",
     "https://boringssl.googlesource.com/boringssl", None),
    ("swift-crypto", "Sources/CXKCP/vendored-sources.txt", r"-g([0-9a-f]+)\)", "xkcp", "CC0-1.0",
     "The eXtended Keccak Code Package authors", "https://github.com/XKCP/XKCP", None),
    ("swift-nio", "Sources/CNIOLLHTTP/include/c_nio_llhttp.h", r"VERSION_MAJOR (\d+)[\s\S]*?MINOR (\d+)[\s\S]*?PATCH (\d+)",
     "llhttp", "MIT", "2018 Fedor Indutny", "https://github.com/nodejs/llhttp", "Sources/CNIOLLHTTP/LICENSE"),
    ("swift-nio", "Sources/CNIOSHA1/c_nio_sha1.c", r"sha1\.c,v ([\d.]+)", "kame-sha1", "BSD-3-Clause",
     "1995, 1996, 1997, and 1998 WIDE Project", "https://github.com/freebsd/freebsd-src", "Sources/CNIOSHA1/c_nio_sha1.c"),
]


def all_components():
    """The program's own component, and those of everything in it."""
    graph = json.loads(run("swift", "package", "show-dependencies", "--format", "json"))
    packages = {}
    for node in walk(graph):
        packages.setdefault(node["identity"], node)
    own = packages.pop(graph["identity"])
    needs = [node["identity"] for node in own["dependencies"]]
    parts = [package(node) for node in sorted(packages.values(), key=lambda node: node["identity"])]
    parts += [carried(packages, *row) for row in CARRIED] + toolchain() + data()
    names = needs + [part.name for part in parts if part.name not in packages]
    version = run(str(ROOT / "packaging/version")).strip()
    program = Component("servertrust", version, "Apache-2.0 AND MPL-2.0", "2026 the swift-server-trust project authors",
                        None, needs=tuple(names))
    return program, parts


def walk(node):
    yield node
    for dependency in node["dependencies"]:
        yield from walk(dependency)


def package(node):
    path = node["url"].removeprefix("https://github.com/").removesuffix(".git")
    return Component(
        node["identity"], node["version"], "Apache-2.0", f"The {node['identity']} project authors", node["url"],
        purl=f"pkg:swift/github.com/{path}@{node['version']}",
        needs=tuple(dependency["identity"] for dependency in node["dependencies"]))


def carried(packages, owner, file, pattern, name, license, copyright, url, text):
    folder = pathlib.Path(packages[owner]["path"])
    found = re.search(pattern, (folder / file).read_text())
    if not found:
        raise SystemExit(f"packaging: {owner}/{file} names no version")
    return Component(name, ".".join(found.groups()), license, copyright, url,
                     text=license_text(folder / text) if text else None)


def license_text(path):
    """A file of a license, or the first comment of C that has one."""
    text = path.read_text()
    if path.suffix == ".c":
        comment = next(c for c in re.findall(r"/\*.*?\*/", text, re.S) if "Redistribution" in c)
        text = re.sub(r"^\s*/?\*+[-/]? ?", "", comment, flags=re.M)
    return text.strip()


def toolchain():
    """What the toolchain links into the program (docs/binary.md)."""
    swift = re.search(r"Swift version (\S+)", run("swift", "--version")).group(1)
    libraries = run("clang", "-print-file-name=libstdc++.a").strip()
    gcc = pathlib.Path(libraries).parent.resolve().name
    return [
        Component("swift-runtime", swift, "Apache-2.0 WITH Swift-exception", "Apple Inc. and the Swift project authors",
                  "https://github.com/swiftlang/swift"),
        Component("libstdc++", gcc, "GPL-3.0-or-later WITH GCC-exception-3.1", "Free Software Foundation, Inc.",
                  "https://gcc.gnu.org"),
    ]


def data():
    suffixes = (ROOT / "Sources/ServerTrust/Stores/BuiltInSuffixes+Registry.swift").read_text()
    version = re.search(r'"(\d{4}-\d\d-\d\d[^"]*)"', suffixes)
    return [
        Component("public-suffix-list", version.group(1), "MPL-2.0", "Mozilla Foundation and contributors",
                  "https://publicsuffix.org/list/public_suffix_list.dat", is_data=True),
        Component("unicode-character-database", "14.0.0", "Unicode-3.0", "1991-2021 Unicode, Inc.",
                  "https://www.unicode.org/Public/14.0.0/ucd/", is_data=True,
                  text=license_text(ROOT / "packaging/licenses/Unicode-3.0.txt")),
    ]


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
