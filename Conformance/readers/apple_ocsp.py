"""Apple's corpus of OCSP responses (github.com/apple-oss-distributions/Security):
tests/TrustTests/TestData/OCSPResponseTests-data/CTSourcedCorpus.

A folder has issuer.crt.pem, the certificate as another *.crt.pem, and ocspResponse.der and ocspResponse.sha256.der;
lists at the top (single…Sha1….list, …Sha256….list) name the folders whose response has an answer. Apple's test asks for
the answer to be found; here the certificate is judged with the issuer as its anchor at the moment of the response: one
that is "good" clears it, any other does not. A certificate that is refused without the response is skipped.
"""

import pathlib

from .case import Case, blocks, text, validate
from .dates import seconds
from .der import children

CORPUS = "tests/TrustTests/TestData/OCSPResponseTests-data/CTSourcedCorpus"
PROFILES = ("legacy", "apple")
STATUSES = {0x80: "good", 0xA1: "revoked", 0x82: "unknown"}


def cases(path, time):
    path = pathlib.Path(path)
    corpus = path / CORPUS if (path / CORPUS).is_dir() else path
    for listed in sorted(corpus.glob("*.list")):
        name = "ocspResponse.sha256.der" if "Sha256" in listed.name else "ocspResponse.der"
        for folder in listed.read_text().split():
            yield _case(corpus / folder, name)


def _case(folder, name):
    identifier = f"apple-ocsp::{folder.name}::{name}"
    try:
        leaf, issuer, response = _files(folder, name)
        status, moment = answer(response, _serial(leaf))
    except (OSError, ValueError, IndexError, StopIteration) as error:
        return Case(identifier, "apple-ocsp", False, {}, PROFILES, skipped=f"not readable: {error}")
    without = validate(leaf, [issuer], time=moment)
    request = dict(without, ocsp=[text(response)], revocation="hard")
    return Case(
        identifier,
        "apple-ocsp",
        status == "good",
        request,
        PROFILES,
        first=without,
        skipped="" if status else "no answer for the certificate",
    )


def _files(folder, name):
    leaf = next(file for file in sorted(folder.glob("*.crt.pem")) if "issuer" not in file.name)
    issuer = folder / "issuer.crt.pem"
    return (*(blocks(file.read_text())[0][1] for file in (leaf, issuer)), (folder / name).read_bytes())


def _serial(der):
    return next(content for tag, content, _ in children(children(children(der)[0][1])[0][1]) if tag == 2)


def answer(response, serial):
    """(status, moment) of the answer about a serial number; (None, None) where there is none (RFC 6960 §4.2.1)."""
    wrapped = children(children(children(response)[0][1])[1][1])[0][1]
    basic = children(children(wrapped)[1][1])[0][1]
    data = [item for item in children(children(basic)[0][1]) if item[0] != 0xA0]
    for _, single, _ in children(data[2][1]):
        identifier, status, since, *_ = children(single)
        if children(identifier[1])[3][1] == serial:
            return STATUSES.get(status[0]), max(seconds(*since[:2]), seconds(*data[1][:2]))
    return None, None
