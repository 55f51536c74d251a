//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DisagreementClass {
    private static let everyone = Set(Peer.allCases)
    private static let openSSL: Set<Peer> = [.openSSL, .strictOpenSSL]

    /// What follows from a certificate that could not be read or a path that was not found.
    private static let consequences: Set<String> = [
        "unknown-issuer", "untrusted-root", "expired", "bad-signature", "key-identifier-mismatch", "not-a-ca",
        "old-version-issuer",
    ]

    /// A class of chains that we refuse for one reason, and for others only that the peer does not ask about either.
    private static func unasked(
        _ name: String, _ peers: Set<Peer>, _ codes: Set<String>, _ why: String
    ) -> DisagreementClass {
        DisagreementClass(name: name, weAccept: false, peers: peers, why: why) { disagreement in
            let reasons = disagreement.ours.reasons.map { $0.hasPrefix("malformed ") ? "malformed" : $0 }
            var unchecked = Self.unchecked[disagreement.peer] ?? []
            if reasons.contains(where: { $0.hasPrefix("malformed") }) { unchecked.formUnion(Self.consequences) }
            return !codes.isDisjoint(with: reasons)
                && reasons.allSatisfy { codes.contains($0) || unchecked.contains($0) }
        }
    }

    /// Our reasons that a peer does not know.
    private static let unchecked: [Peer: Set<String>] = [
        .swiftCertificates: [
            "malformed", "malformed-extension", "key-usage", "eku", "empty-subject", "name-mismatch", "weak-signature",
            "key-too-small", "key-kind", "weak-key", "signature-algorithm-mismatch", "old-version-issuer",
            "name-constraints",
        ],
        .openSSL: [
            "malformed", "malformed-extension", "empty-subject", "basic-constraints-missing", "duplicate-extension",
            "eku",
            "name-constraints", "name-mismatch",
        ],
        .strictOpenSSL: [
            "malformed", "malformed-extension", "certificate-rule", "server-auth-missing", "duplicate-extension", "eku",
            "key-too-small", "key-kind", "weak-key", "name-constraints", "name-mismatch",
        ],
    ]

    /// Chains that a peer accepts and we refuse.
    static let peerAlone: [DisagreementClass] = [
        .unasked(
            "no alternative name", [.swiftCertificates], ["name-mismatch"],
            "RFC 9525 §2: a common name is no host name; swift-certificates still reads it"),
        DisagreementClass(
            name: "a name that is no text", weAccept: false, peers: Self.openSSL,
            why: "one dNSName that is not UTF-8 voids all of them, as for Apple"
        ) { $0.ours.reasons.contains("name-mismatch") && $0.changed("[255, 46, 97]") },
        .unasked(
            "anyPolicy mapped", Self.everyone, ["policy"],
            "RFC 5280 §6.1.4 (a) forbids it; OpenSSL overlooks it where there are no policies to map"),
        .unasked(
            "key usage of issuers", [.swiftCertificates], ["key-usage"],
            "RFC 5280 §6.1.4 (n): keyCertSign; swift-certificates does not look at it"),
        .unasked(
            "extended key usage", Self.everyone, ["eku", "server-auth-missing"],
            "RFC 5280 §4.2.1.12, and BR 7.1.2.7.10 for profile webpki; OpenSSL takes server-gated crypto and no usages at all"
        ),
        .unasked(
            "SHA-1 and short keys", Self.everyone, ["weak-signature", "key-too-small", "key-kind", "weak-key"],
            "RFC 9155, BR 6.1.5: SHA-1, RSA below 2,048 bits and, for profile webpki, Ed25519"),
        .unasked(
            "two signature algorithms", [.swiftCertificates], ["signature-algorithm-mismatch"],
            "RFC 5280 §4.1.1.2: both fields name one algorithm"),
        DisagreementClass(
            name: "two signature algorithms in one of two issuers", weAccept: false, peers: [.swiftCertificates],
            why: "the same; of two unfinished paths the other one is reported"
        ) {
            $0.ours.reasons.contains("unknown-issuer") && $0.changed("inner algorithm differs")
                && $0.changed("cross-signed")
        },
        .unasked(
            "issuer of version 1", [.swiftCertificates], ["old-version-issuer"],
            "RFC 5280 §6.1.4 (k): not without another way to know that it is an authority"),
        .unasked(
            "form of certificates", [.strictOpenSSL], ["certificate-rule"],
            "RFC 5280 §4 and BR 7.1 as profile webpki demands them"),
        .unasked(
            "what readers must refuse", [.swiftCertificates, .openSSL], ["certificate-rule"],
            "RFC 5280 §4.1.1.2, §4.1.2.5 and §4.2.1.4, X.690 §11.2: identical algorithms, dates, padding, no policy twice"
        ),
        .unasked(
            "anchor without basic constraints", Self.openSSL, ["basic-constraints-missing"],
            "Apple asks an anchor that is a certificate to be an authority"),
        .unasked(
            "empty subject", Self.everyone, ["empty-subject"],
            "RFC 5280 §4.1.2.6: issuers have a name, and a leaf without one has a critical alternative name"),
        .unasked(
            "extension twice", Self.openSSL, ["duplicate-extension"], "RFC 5280 §4.2; OpenSSL does not look at anchors"),
        .unasked(
            "encodings", Self.everyone, ["malformed", "malformed-extension"],
            "X.690 and RFC 5280 §4.2.1: what cannot be read is never no restriction"),
        .unasked(
            "name constraints", Self.everyone, ["name-constraints"],
            "a wildcard stands for every name below it, and malformed constraints for anything (RFC 5280 §4.2.1.10)"),
    ]
}
