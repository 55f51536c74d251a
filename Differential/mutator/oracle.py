"""Name constraints and host names as RFC 5280 §4.2.1.10, §6.1 and RFC 9525 say it, written naively from the text.

A name is (form, value): ("dns", "a.example.com"), ("ip", "192.0.2.1"), ("mail", "a@example.com"), ("uri", "https://…"),
("directory", (("O", "Example"), …)), ("other", "1.2.3"). Constraints are the same, with "192.0.2.0/24" for addresses.
Answers are True, False, or None where the text can be read in more than one way.
"""

import ipaddress
import re
import urllib.parse

LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\Z")


def is_host(value):
    labels = value.split(".")
    return len(value) <= 253 and all(len(label) <= 63 and LABEL.match(label) for label in labels)


def within(name, constraint):
    """Whether a name falls within a subtree of its own form."""
    form, value = name
    return {"dns": _dns, "ip": _address, "mail": _mail, "uri": _uri, "directory": _directory}.get(form, _unknown)(
        value, constraint[1]
    )


def _unknown(value, constraint):
    """A form that is not supported: §4.2.1.10 has it processed or the certificate refused, so it is never satisfied."""
    return None


def _dns(value, constraint):
    value, constraint = value.lower(), constraint.lower()
    if constraint == "":
        return True
    if constraint.startswith(".") or not is_host(constraint):
        return None
    if value.startswith("*."):
        # It stands for every name one label below: all of them are within, none is, or some are.
        rest = value[2:]
        if rest == constraint or rest.endswith("." + constraint):
            return True
        return None if constraint.endswith("." + rest) else False
    if not is_host(value):
        return None
    return value == constraint or value.endswith("." + constraint)


def _address(value, constraint):
    """An IPv4 address written as an IPv6 one may be held to constraints on either (RFC 4291 §2.5.5.2)."""
    network = ipaddress.ip_network(constraint)
    address = ipaddress.ip_address(value)
    if address.version == network.version:
        return address in network
    mapped = getattr(address, "ipv4_mapped", None)
    return None if mapped else False


def _mail(value, constraint):
    local, at, host = value.rpartition("@")
    if not at or not local or not is_host(host.lower()):
        return None
    if "@" in constraint:
        wanted, _, domain = constraint.rpartition("@")
        return local == wanted and host.lower() == domain.lower()
    if constraint.startswith("."):
        return host.lower().endswith(constraint.lower())
    return None if constraint == "" else host.lower() == constraint.lower()


def _uri(value, constraint):
    """A URI without a host that is a name must be refused where URIs are constrained: it is in no permitted subtree."""
    host = (urllib.parse.urlsplit(value).hostname or "").lower()
    if not is_host(host) or re.fullmatch(r"[0-9.]+", host):
        return None
    if constraint.startswith("."):
        return host.endswith(constraint.lower())
    return None if constraint == "" else host == constraint.lower()


def _directory(value, constraint):
    """The constraint's relative names begin the name's; neither case nor spaces matter (§7.1)."""

    def folded(attributes):
        return [(kind, " ".join(text.lower().split())) for kind, text in attributes]

    return folded(value)[: len(constraint)] == folded(constraint)


def violation(names, authorities):
    """What of the leaf's names breaks the constraints of the authorities: a form, None for nothing, or "?".

    `authorities` has (permitted, excluded) for each that is not self-issued, from the anchor down; §6.1.3 (b) and (c).
    """
    is_doubtful = False
    for name in names:
        for permitted, excluded in authorities:
            allowed = [within(name, tree) for tree in permitted if tree[0] == name[0]]
            denied = [within(name, tree) for tree in excluded if tree[0] == name[0]]
            if True in denied or allowed and not any(answer is not False for answer in allowed):
                return name[0]
            if None in denied or None in allowed and True not in allowed:
                is_doubtful = True
    return "?" if is_doubtful else None


def identifies(names, host):
    """Whether a server's names include the host that was asked for (RFC 9525 §6)."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        answers = [_same_host(value, host) for form, value in names if form == "dns"]
    else:
        answers = [ipaddress.ip_address(value) == address for form, value in names if form == "ip"]
    return True if True in answers else None if None in answers else False


def _same_host(presented, host):
    presented, host = presented.lower(), host.lower()
    if presented.endswith(".") or host.endswith("."):
        return None
    if not presented.startswith("*."):
        if "*" in presented:
            return None if presented.count("*") == 1 else False
        return presented == host
    rest = presented[2:]
    if "*" in rest:
        return False
    first, _, tail = host.partition(".")
    if tail != rest or not first:
        return False
    # Below a public suffix a wildcard may be refused, and before an A-label too (RFC 9525 §6.3).
    return None if rest.count(".") == 0 or first.startswith("xn--") else True
