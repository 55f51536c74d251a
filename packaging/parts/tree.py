"""The files that every package holds: the program, manual pages, completions and licenses."""
import os
import shutil
import subprocess
import textwrap

from components import ROOT, run

# Where each shell looks for completions, below a prefix.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/servertrust",
    "zsh": "share/zsh/site-functions/_servertrust",
    "fish": "share/fish/vendor_completions.d/servertrust.fish",
}


def make_tree(folder, program, parts, built, epoch):
    """Fills a folder as a prefix such as /usr/local has it; `built` is the program's file."""
    (folder / "bin").mkdir(parents=True)
    shutil.copy(built, folder / "bin/servertrust")
    (folder / "bin/servertrust").chmod(0o755)
    pages = folder / "share/man/man1"
    pages.mkdir(parents=True)
    date = subprocess.run(["date", "-u", "-d", f"@{epoch}", "+%F"], check=True, capture_output=True, text=True).stdout.strip()
    run(str(ROOT / "docs/man/run"), str(pages), str(built), date)
    for shell, place in COMPLETIONS.items():
        script = run(str(built), "--generate-completion-script", shell)
        # A script of bash-completion is read by bash, and never run.
        write(folder / place, script.removeprefix("#!/bin/bash\n\n"))
    documents = folder / "share/doc/servertrust"
    write(documents / "copyright", copyright_text(program, parts))
    for name in ["LICENSE", "NOTICE", "CHANGELOG.md"]:
        shutil.copy(ROOT / name, documents / name)
    shutil.copytree(ROOT / "packaging/systemd", documents / "examples")
    set_dates(folder, epoch)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.endswith("\n") else text + "\n")


def set_dates(folder, epoch):
    """Gives files and folders the date of the commit, and modes that no umask changes."""
    for path in [folder, *folder.rglob("*")]:
        runs = path.is_dir() or path.parent.name == "bin"
        path.chmod(0o755 if runs else 0o644)
        os.utime(path, (epoch, epoch))


def copyright_text(program, parts):
    """The licenses of everything in the program, in Debian's format (DEP-5)."""
    lines = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
             "Upstream-Name: swift-server-trust",
             "Comment: Each paragraph below the first names a component that is linked into the program."]
    lines += stanza("*", program)
    for part in parts:
        lines += stanza(f"{part.name.split()[0]}/*", part)
    texts = {part.license: part.text for part in [program, *parts]}
    for license, text in sorted(texts.items()):
        lines += ["", f"License: {short(license)}", indented(text or COMMON[license])]
    return "\n".join(lines)


def stanza(files, part):
    source = [f"Comment: {part.name} {part.version}, {part.url}"] if part.url else []
    return ["", f"Files: {files}", f"Copyright: {part.copyright}", f"License: {short(part.license)}"] + source


def short(license):
    return license.replace(" AND ", " and ").replace("Apache-2.0 WITH Swift-exception", "Apache-2.0 with Swift exception")\
        .replace("GPL-3.0-or-later WITH GCC-exception-3.1", "GPL-3+ with GCC exception")


def indented(text):
    return textwrap.indent("\n".join(line.rstrip() or "." for line in text.splitlines()), " ")


APACHE = "On Debian systems the text is /usr/share/common-licenses/Apache-2.0; other packages have it in LICENSE."
MPL = ("The source is the list at the address above. On Debian systems the text is /usr/share/common-licenses/MPL-2.0;\n"
       "it is also at https://mozilla.org/MPL/2.0/.")
COMMON = {
    "Apache-2.0": APACHE,
    "Apache-2.0 AND MPL-2.0": APACHE + "\n" + MPL,
    "MPL-2.0": MPL,
    "CC0-1.0": "On Debian systems the text is /usr/share/common-licenses/CC0-1.0.",
    "Apache-2.0 WITH Swift-exception":
        APACHE + "\nAs an exception, if you use this Software to compile your source code and portions of this Software are\n"
        "embedded into the binary product as a result, you may redistribute such product without providing attribution as\n"
        "would otherwise be required by Sections 4(a), 4(b) and 4(d) of the License.",
    "GPL-3.0-or-later WITH GCC-exception-3.1":
        "On Debian systems the text is /usr/share/common-licenses/GPL-3. The GCC Runtime Library Exception 3.1\n"
        "(https://www.gnu.org/licenses/gcc-exception-3.1.html) allows linking into programs under other terms.",
}
