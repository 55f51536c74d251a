"""OpenSSL's test of `openssl verify` (github.com/openssl/openssl): test/recipes/25-test_verify.t with test/certs.

A line of the table is `ok(verify(CERT, PURPOSE, [TRUSTED], [UNTRUSTED], OPTIONS), "what")`, with `!` where it must
fail. Trusted certificates may carry settings of trust (`TRUSTED CERTIFICATE`), which the protocol has no words for: one
that is trusted for the purpose is an anchor, a root that is distrusted is left out. Within
`with({ exit_checker => … 2 })` a row that is `ok` has failed.
"""

import pathlib
import re

from .case import CLIENT_AUTH, SERVER_AUTH, Case, blocks, validate
from .der import children
from .fields import certificate, dotted

LINE = re.compile(r'ok(?:_nofips)?\(\s*(!?)\s*verify\((.*?)\),\s*"((?:[^"\\]|\\.)*)"\s*\);', re.S)
FAILING = re.compile(r"exit_checker\s*=>\s*sub \{ return shift == 2; \} \},\s*sub \{(.*?)\n\s*\}\);", re.S)
TOKEN = re.compile(r'qw\(([^)]*)\)|qw/([^/]*)/|"([^"]*)"|([\[\]@])')
PURPOSES = {"": ("any", []), "sslserver": ("server", [SERVER_AUTH]), "sslclient": ("client", [CLIENT_AUTH])}
USAGES = {"sslserver": SERVER_AUTH, "sslclient": CLIENT_AUTH}
ANY_USAGE = "2.5.29.37.0"
UNASKED = ("-allow_proxy_certs", "-vfyopt", "-provider-path", "-check_ss_sig", "-policy_print", "-crl_check")


def cases(path, time):
    checkout = pathlib.Path(path)
    recipe = (checkout / "test/recipes/25-test_verify.t").read_text()
    failing = [part.span(1) for part in FAILING.finditer(recipe)]
    for number, row in enumerate(LINE.finditer(recipe), 1):
        negation, arguments, what = row.groups()
        is_failing = any(begin <= row.start() < end for begin, end in failing)
        is_accepted = bool(negation) == is_failing
        yield _case(checkout / "test/certs", f"openssl::{number}", what, is_accepted, _arguments(arguments), time)


def _arguments(perl):
    """Strings, and lists of strings, of a Perl call."""
    found, current = [], None
    for words, slashed, quoted, mark in TOKEN.findall(perl):
        if mark == "[":
            current = []
        elif mark == "]":
            found.append(current)
            current = None
        elif mark == "@":
            found.append("@")
        else:
            (found if current is None else current).extend(words.split() or slashed.split() or [quoted])
    return found


def _case(folder, identifier, what, is_accepted, arguments, time):
    identifier = f"{identifier} {what}"
    leaf, purpose, trusted, untrusted, *options = arguments
    skipped = _unasked(purpose, options)
    if skipped:
        return Case(identifier, "openssl", is_accepted, {}, ("legacy",), skipped=skipped)
    try:
        request = _request(folder, leaf, purpose, (trusted, untrusted), options, time)
    except FileNotFoundError as error:
        return Case(
            identifier, "openssl", is_accepted, {}, ("legacy",), skipped=f"no {pathlib.Path(error.filename).name}"
        )
    if request is None:
        return Case(identifier, "openssl", is_accepted, {}, ("legacy",), skipped="an intermediate that is distrusted")
    return Case(identifier, "openssl", is_accepted, request, (_profile(options),))


def _unasked(purpose, options):
    if purpose not in PURPOSES:
        return f"purpose {purpose}"
    if "@" in options:
        return "a build of OpenSSL"
    return next((f"option {option}" for option in options if option in UNASKED), "") or (
        "keys and digests that nothing here accepts" if _option(options, "-auth_level") in ("0", "3") else ""
    )


def _option(options, name):
    return options[options.index(name) + 1] if name in options else None


def _profile(options):
    if "-x509_strict" in options:
        return "webpki"
    return "rfc5280" if _option(options, "-auth_level") == "2" else "legacy"


def _request(folder, leaf, purpose, certificates, options, time):
    """None where the trusted files distrust a certificate that may be given untrusted as well."""
    kind, usages = PURPOSES[purpose]
    anchors, others = [], []
    for name in certificates[0]:
        for der, standing in _trusted(folder / f"{name}.pem", purpose):
            if standing is False and not _is_self_issued(der):
                return None
            if standing is False:
                continue
            is_anchor = standing or "-partial_chain" in options or _is_self_issued(der)
            (anchors if is_anchor else others).append(der)
    for name in certificates[1]:
        others += [der for _, der in blocks((folder / f"{name}.pem").read_text())]
    policy = _option(options, "-policy")
    depth = _option(options, "-verify_depth")
    return validate(
        blocks((folder / f"{leaf}.pem").read_text())[0][1],
        anchors,
        others,
        purpose=kind,
        eku=usages,
        time=int(_option(options, "-attime") or time),
        max_depth=None if depth is None else int(depth),
        policy=(
            {
                "initial": [policy or ANY_POLICY],
                "explicit": "-explicit_policy" in options,
                "inhibit_mapping": False,
                "inhibit_any": False,
            }
            if policy or "-explicit_policy" in options
            else None
        ),
    )


ANY_POLICY = "2.5.29.32.0"


def _trusted(path, purpose):
    """Each certificate of a file, and whether it is trusted: True, False, or None where its file does not say."""
    for label, der in blocks(path.read_text()):
        if not label.endswith("CERTIFICATE"):
            continue
        parts = children(der)
        settings = {
            tag: [dotted(content) for _, content, _ in children(inner)]
            for tag, inner, _ in (children(parts[1][1]) if len(parts) > 1 else [])
            if tag in (0x30, 0xA0)
        }
        wanted = {USAGES.get(purpose), ANY_USAGE}
        standing = None
        if wanted & set(settings.get(0xA0, [])):
            standing = False
        elif 0x30 in settings:
            standing = bool(wanted & set(settings[0x30]))
        yield parts[0][2], standing


def _is_self_issued(der):
    fields = certificate(der)
    return fields[2] == fields[4]
