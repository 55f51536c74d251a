"""x509-limbo (github.com/C2SP/x509-limbo): `limbo.json`, also compressed with xz."""

import datetime
import json
import lzma
import pathlib

from .case import CLIENT_AUTH, SERVER_AUTH, Case

USAGES = {
    "anyExtendedKeyUsage": "2.5.29.37.0",
    "serverAuth": SERVER_AUTH,
    "clientAuth": CLIENT_AUTH,
    "codeSigning": "1.3.6.1.5.5.7.3.3",
    "emailProtection": "1.3.6.1.5.5.7.3.4",
    "timeStamping": "1.3.6.1.5.5.7.3.8",
    "OCSPSigning": "1.3.6.1.5.5.7.3.9",
}


def cases(path, time):
    path = pathlib.Path(path)
    path = path / "limbo.json" if path.is_dir() else path
    opened = lzma.open(path, "rt") if path.suffix == ".xz" else open(path)
    with opened as file:
        for item in json.load(file)["testcases"]:
            yield _case(item, time)


def _case(item, time):
    is_server = item["validation_kind"] == "SERVER"
    usages = [USAGES[usage] for usage in item["extended_key_usage"]] or [SERVER_AUTH if is_server else CLIENT_AUTH]
    moment = item["validation_time"]
    request = {
        "v": 1,
        "op": "validate",
        "roots": _bodies(item["trusted_certs"]),
        "leaf": _body(item["peer_certificate"]),
        "intermediates": _bodies(item["untrusted_intermediates"]),
        "time": int(datetime.datetime.fromisoformat(moment).timestamp()) if moment else time,
        "peer_name": item["expected_peer_name"],
        "peer_names": item["expected_peer_names"],
        "purpose": "server" if is_server else "client",
        "eku": usages,
        "key_usage": item["key_usage"],
        "max_depth": item["max_chain_depth"],
        "crls": _bodies(item.get("crls") or []),
        "ocsp": [],
        "revocation": "hard" if item.get("crls") else "off",
    }
    parts = item["id"].split("::")
    group = "::".join(parts[:2]) if parts[0].startswith("bettertls") else parts[0]
    return Case(
        item["id"],
        group,
        item["expected_result"] == "SUCCESS",
        request,
        ("rfc5280",) if group.startswith("bettertls") else ("webpki",),
    )


def _bodies(pems):
    return [_body(pem) for pem in pems]


def _body(pem):
    """The Base64 between the boundaries, passed on even where it is no certificate."""
    return "".join(line.strip() for line in pem.strip().splitlines() if not line.startswith("-----"))
