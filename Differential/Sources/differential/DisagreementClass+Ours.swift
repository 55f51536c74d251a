//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DisagreementClass {
    private static let openSSL: Set<Peer> = [.openSSL, .strictOpenSSL]

    /// Chains that we accept and a peer refuses: each needs a standard that says they may be accepted.
    static let weAlone: [DisagreementClass] = [
        .refused(
            "the last second", Self.openSSL, ["has expired"], after: ["expires now"],
            "notAfter is inclusive (RFC 5280 §4.1.2.5); OpenSSL counts it as over"),
        .refused(
            "key identifiers differ", [.openSSL], ["unable to get local issuer", "unhandled critical"],
            after: ["key identifier"],
            "key identifiers help to find an issuer (RFC 5280 §4.2.1.1) and are no part of §6.1; profile webpki compares them"
        ),
        .refused(
            "critical key identifiers", [.openSSL], ["unhandled critical extension"],
            after: ["critical key identifier"],
            "critical means to be understood (RFC 5280 §4.2), and they are; profile webpki refuses them"),
        .refused(
            "several candidates for an issuer", Self.openSSL,
            [
                "unable to get local issuer", "signature failure", "self-signed certificate", "has expired",
                "invalid CA",
            ],
            after: [
                "look-alike", "expired twin", "cross-signed", "self-issued intermediate", "issuer written otherwise",
            ],
            "OpenSSL follows the first candidate; RFC 4158 §2.4 has paths searched"),
        DisagreementClass(
            name: "trusted leaf", weAccept: true, peers: Self.openSSL,
            why: "a trusted leaf is the whole path (RFC 5280 §6.1.1 (d)); OpenSSL goes on to what issued it"
        ) { disagreement in
            // What is wrong with the leaf itself is wrong all the same.
            let isAboutLeaf = ["leaf: expired", "leaf: not yet", "other host", "leaf: alternative"].contains(
                where: disagreement.changed)
            return disagreement.changed("leaf trusted") && !isAboutLeaf
        },
        .refused(
            "trusted intermediate", Self.openSSL,
            [
                "invalid CA", "Missing", "Basic Constraints", "unhandled", "unable", "has expired", "not yet valid",
                "subtree",
            ],
            after: ["intermediate trusted"],
            "what is trusted ends the path (RFC 5280 §6.1.1 (d)); OpenSSL goes on to what issued it"),
        .refused(
            "key usage of the leaf", Self.openSSL, ["unsuitable certificate purpose"],
            after: ["leaf: key usage"],
            "RFC 5280 §6.1 asks no key usage of a leaf; which it needs depends on the key exchange (RFC 8446 §4.4.2.2)"),
        .refused(
            "anyExtendedKeyUsage", Self.openSSL, ["unsuitable certificate purpose"], after: ["extended key usage"],
            "it stands for every usage (RFC 5280 §4.2.1.12), and an anchor's usages do not bind a path (§6.1.1 (d))"),
        .refused(
            "anchor of version 2", [.openSSL, .swiftCertificates], ["invalid CA certificate", "is not marked as a CA"],
            after: ["root: version 2", "root: version 1"],
            "an anchor is a name and a key (RFC 5280 §6.1.1 (d)), and version 2 has no basic constraints to give"),
        .refused(
            "anchor's own signature", [.strictOpenSSL, .swiftCertificates],
            ["signature algorithm mismatch", "no chain"],
            after: ["root: inner algorithm", "root: signed with", "root: key"],
            "no validator relies on an anchor's signature (RFC 5280 §6.1)"),
        .refused(
            "NULL or no parameters", Self.openSSL, ["signature failure", "signature algorithm mismatch"],
            after: ["inner algorithm differs"],
            "both mean the same RSA algorithm (RFC 4055 §2.1), so that both fields still name one (RFC 5280 §4.1.1.2)"),
        .refused(
            "policy twice", Self.openSSL, ["inconsistent certificate policy"], after: ["policies"],
            "RFC 5280 §4.2.1.4 forbids issuers to write it; §6.1 processes sets, and the second adds nothing"),
        .refused(
            "no key usage", [.strictOpenSSL], ["does not include key usage", "without key usage"],
            after: ["no key usage"],
            "RFC 5280 §4.2.1.3 demands it of issuers; §6.1.4 (n) asks for bits only if it is there"),
        .refused(
            "leaf is the anchor", [.swiftCertificates], ["is not marked as a CA", "basic constraints"],
            after: ["leaf trusted"],
            "a trusted leaf is the whole path; swift-certificates wants it to be an authority"),
        .refused(
            "names compared octet by octet", [.swiftCertificates], ["no chain"], after: ["issuer written otherwise"],
            "RFC 5280 §7.1: neither case, nor spaces, nor the kind of string matter"),
        .refused(
            "critical extensions it does not know", [.swiftCertificates], ["no chain"],
            after: [
                "any policy inhibited", "policy mappings", "explicit policy", "critical key identifier",
                "critical extended key usage",
            ], "they are RFC 5280's, and are processed here"),
        .refused(
            "unique identifiers and others it does not read", [.swiftCertificates], ["unreadable"],
            after: ["unique identifiers", "serial number", "PSS"],
            "RFC 5280 §4.1.2.8 and §4.1.2.2 forbid writing them, not reading them; PSS is RFC 4055"),
        .refused(
            "certificates it cannot read are left out", [.swiftCertificates], ["no chain"],
            after: ["unique identifiers", "serial number", "PSS", "key Ed25519", "inner algorithm", "FALSE"],
            "see above"),
        .refused(
            "default values written out", [.swiftCertificates], ["name constraints from", "basic constraints"],
            after: ["minimum", "FALSE written out"],
            "X.690 §11.5 forbids writing them; they say nothing else, and deployed certificates have them"),
        .refused(
            "forms of constraints it does not support", [.swiftCertificates],
            ["not supported", "unsupported constraint", "Error parsing SAN"],
            after: ["permitted", "excluded", "alternative names"],
            "a form none of the leaf's names has constrains nothing (RFC 5280 §4.2.1.10)"),
        .refused(
            "expired twin", [.swiftCertificates], ["has expired", "is not marked as a CA"], after: ["expired twin"],
            "of several paths one is good"),
    ]
}
