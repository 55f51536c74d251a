"""Writes a Debian package by dpkg-deb."""
import email.utils
import gzip
import os
import shutil
import subprocess

from tree import set_dates, write
from wheel import SUMMARY

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MAINTAINER = "swift-server-trust maintainers <noreply@users.noreply.github.com>"

CONTROL = """\
Package: servertrust
Version: {version}
Section: net
Priority: optional
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: libc6 (>= 2.34)
Recommends: ca-certificates
{home}Description: verdict of Apple's systems about TLS servers, with the reason
 servertrust decides whether a TLS server may be trusted, by the rules of
 Apple's systems, and says why: the rule, the value that broke it, and what
 to change.
 .
 It checks servers and certificate files, diagnoses App Transport Security,
 lints Info.plist files and pins, scans many servers, and runs as a proxy
 that reaches trusted servers only.
"""


def write_package(folder, tree, program, machine, epoch, home):
    """Writes the package to a folder, and returns its path."""
    architecture = ARCHITECTURES[machine]
    root = tree.parent / "debian"
    shutil.copytree(tree, root / "usr")
    documents = root / "usr/share/doc/servertrust"
    # Debian has the text of Apache's license, and a place of its own for what the makers of packages add to zsh.
    (documents / "LICENSE").unlink()
    (documents / "CHANGELOG.md").unlink()
    (root / "usr/share/zsh/site-functions").rename(root / "usr/share/zsh/vendor-completions")
    write(documents / "changelog", changelog(program, epoch))
    for path in [documents / "changelog", *(root / "usr/share/man/man1").iterdir()]:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        path.unlink()

    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    write(root / "DEBIAN/control", CONTROL.format(
        version=program.version, architecture=architecture, maintainer=MAINTAINER, size=size,
        home=f"Homepage: {home}\n" if home else ""))
    sums = subprocess.run("find usr -type f | LC_ALL=C sort | xargs md5sum", shell=True, cwd=root, check=True,
                          capture_output=True, text=True).stdout
    write(root / "DEBIAN/md5sums", sums)
    set_dates(root, epoch)

    output = folder / f"servertrust_{program.version}_{architecture}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, output], check=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}, stdout=subprocess.DEVNULL)
    return output


def changelog(program, epoch):
    date = email.utils.formatdate(epoch)
    return (f"servertrust ({program.version}) unstable; urgency=medium\n\n"
            f"  * Release {program.version} of swift-server-trust.\n\n -- {MAINTAINER}  {date}\n")
