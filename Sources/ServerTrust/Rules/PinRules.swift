//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension TrustRule {
    static let pins = [Self.leafKeyNotPinned, Self.authorityKeyNotPinned, Self.pathNotPinned, Self.anchorNotPinned]

    private static let leafKeyNotPinned = TrustRule(
        "leaf-key-not-pinned", "The server's key is not pinned",
        requirement: "The leaf's key is one of the pinned keys.", section: .rfc(7469, "2.6"), check: .leafSPKISHA256,
        remedies: Self.pinned
    ) { breach in
        guard case .leafKeyNotPinned = breach.reason else { return nil }
        return Self.account(of: breach, "The key of \(breach.name) is not one of the pinned keys.")
    }

    private static let authorityKeyNotPinned = TrustRule(
        "authority-key-not-pinned", "No authority's key is pinned",
        requirement: "A key above the leaf is one of the pinned keys.", section: .rfc(7469, "2.6"),
        check: .caspkiSHA256, remedies: Self.pinned
    ) { breach in
        guard case .authorityKeyNotPinned = breach.reason else { return nil }
        return Self.account(of: breach, "No key above the leaf is one of the pinned keys.")
    }

    private static let pathNotPinned = TrustRule(
        "path-not-pinned", "Nothing of the path is pinned",
        requirement: "A key or certificate of the path is pinned.", section: .rfc(7469, "2.6"), check: .pinnedPath,
        remedies: Self.pinned
    ) { breach in
        guard case .pathNotPinned = breach.reason else { return nil }
        return Self.account(of: breach, "No key or certificate of the path matches a pin.")
    }

    private static let anchorNotPinned = TrustRule(
        "anchor-not-pinned", "The anchor is not pinned", requirement: "The anchor is pinned.",
        section: .rfc(7469, "2.6"), check: .pinnedPath, remedies: Self.pinned
    ) { breach in
        guard case .anchorNotPinned = breach.reason else { return nil }
        return Self.account(of: breach, "The anchor \(breach.name) is not pinned.")
    }

    private static func account(of breach: RuleBreach, _ message: String) -> RuleAccount {
        let (key, confusion) = ("sha256/\(breach.certificate.publicKey.pin)", breach.confusion)
        return RuleAccount(
            message + (confusion.map { " The pin sha256/\($0.pinned) is \($0.clause)." } ?? ""),
            found: key + (confusion.map { ". The pin sha256/\($0.pinned) is \($0.clause)" } ?? ""),
            required: "one of the pinned keys or certificates", remedy: confusion.map(Self.remedy))
    }

    private static func remedy(for confusion: PinConfusion) -> TrustRemedy {
        TrustRemedy(
            .confusedPin, .updatePins,
            advice:
                "Correct the pin, not the server. The pin of this key is \(confusion.meant). Put it in place of sha256/\(confusion.pinned)."
        )
    }

    private static let pinned = [
        TrustRemedy(
            .leaf, .updatePins,
            advice:
                "If the server's key was changed on purpose, update the pins. If not, an attacker may intercept the connection."
        ),
        TrustRemedy(
            .confusedPin, .updatePins,
            advice:
                "Correct the pin, not the server: it is the digest of something else than the key. Put the key's own pin in its place."
        ),
    ]
}

extension TrustRemedy {
    /// The remedy for unmatched pins on a path with other faults. Advice about the pins could lead people to pin an attacker's key.
    static let besideOthers = TrustRemedy(
        .leaf, .mendOthers,
        advice:
            "Mend the path's other faults first and leave the pins as they are: a path with faults says nothing about them."
    )
}

extension RuleBreach {
    /// A pin that matches the path in another form than its key, or at another place.
    fileprivate var confusion: PinConfusion? {
        PinConfusion(of: self.surroundings.pins, on: self.surroundings.path)
    }
}
