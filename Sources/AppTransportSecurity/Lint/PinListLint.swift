//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// The checks of an array of pins.
struct PinListLint {
    typealias List = ATSEntry<[ATSPinnedDomain.Identity]>

    private let domain: ATSPinnedDomain
    private let key: ATSKey
    private let list: List
    private let path: [String]

    init(_ domain: ATSPinnedDomain, _ key: ATSKey, list: List, path: [String]) {
        self.domain = domain
        self.key = key
        self.list = list
        self.path = path
    }

    /// - Parameters:
    ///   - host: All pins that count for the host itself, including this array.
    ///   - below: All pins that count for names below it, or `nil` if the entry does not cover them.
    func report(host: PinTally, below: PinTally?, to log: inout LintLog) {
        self.digests(&log)
        if host.isEmpty || below?.isEmpty == true {
            self.add(
                .emptyPins, "\(self.subject) has no pin that a key could have, and every connection is refused.",
                remedy: "Add the digests of the keys, or remove the key.", at: self.list.position, into: &log)
        } else if PinTally(self.list).isEmpty {
            log.add(
                .emptyPins, as: .warning, path: self.path, at: self.list.position,
                message: "\(self.subject) adds no pin to those of the other entries that count here.",
                remedy: "Remove the key.")
        } else if host.isSingle || below?.isSingle == true {
            self.add(
                .singlePin, "\(self.subject) has one pin and no backup: when its key goes, so does every connection.",
                remedy: "Add the digest of a second key, kept elsewhere.", at: self.list.position, into: &log)
        }
    }

    private var subject: String { "\(self.key.rawValue) of \(self.domain.name.quoted)" }

    private func digests(_ log: inout LintLog) {
        var seen: Set<[UInt8]> = []
        for identity in self.list.value {
            let decoded = AppleBase64(identity.value)
            guard let pin = try? Pin(digest: decoded.octets) else {
                self.invalid(identity, decoded.octets.count, into: &log)
                continue
            }
            if decoded.hasMore { self.passedOver(identity, pin, into: &log) }
            if pin.isPlaceholder {
                self.add(
                    .placeholderPin, "No key has the digest \(pin.base64).",
                    remedy: "Put the digest of a real backup key there.", at: identity.position, into: &log)
            } else if !seen.insert(pin.digest).inserted {
                self.add(
                    .duplicatePin, "The pin \(pin.base64) is there already.", remedy: "Remove it.",
                    at: identity.position, into: &log)
            }
        }
    }

    /// Reports text after the padding, most often a second pin.
    private func passedOver(_ identity: ATSPinnedDomain.Identity, _ pin: Pin, into log: inout LintLog) {
        log.add(
            .invalidPin, as: .warning, path: self.path + [ATSKey.spkiSHA256.rawValue], at: identity.position,
            message:
                "\(identity.value.quoted) is read as \(pin.base64), and what stands behind its padding is passed over.",
            remedy: "Write each pin in a dictionary of its own.")
    }

    private func invalid(_ identity: ATSPinnedDomain.Identity, _ count: Int, into log: inout LintLog) {
        // Fingerprints of certificates are in hexadecimal, and are not digests of keys. The text alone does not tell which it is.
        let isFingerprint = identity.value.contains(":")
        let pin = Self.meant(by: identity.value)
        let meant = isFingerprint || Self.isHexadecimal(identity.value) ? nil : pin
        let outcome = count == 0 ? "nothing, and is passed over" : "\(count) octets, which no key's digest has"
        log.add(
            .invalidPin, path: self.path + [ATSKey.spkiSHA256.rawValue], at: identity.position,
            message: "\(identity.value.quoted) is not the Base64 of a SHA-256 digest: it is read as \(outcome).",
            remedy: isFingerprint
                ? "It looks like the fingerprint of a certificate. Take the digest of its key, and write it in Base64."
                : Self.remedy(for: pin, isCertain: meant != nil),
            replacement: meant)
    }

    private static func remedy(for pin: String?, isCertain: Bool) -> String {
        guard let pin else { return "Write the Base64 of the 32 octets of the key's SHA-256 digest." }
        return isCertain
            ? "Write \(pin)."
            : "If it is the digest of the key, write \(pin). If it is the fingerprint of a certificate, take the digest of its key."
    }

    private static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.count >= 64 && text.suffix(64).allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// Returns the Base64 of a digest that is in hexadecimal, in the URL alphabet, without padding, or after a name.
    private static func meant(by text: String) -> String? {
        guard text.utf8.count <= 128 else { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        for spelling in [text, standard, text + "=", standard + "="] {
            if let pin = try? Pin(spelling), pin.kind == .publicKey, !pin.isPlaceholder { return pin.base64 }
        }
        return nil
    }

    private func add(
        _ rule: ATSRule, _ message: String, remedy: String, at position: TextPosition?, into log: inout LintLog
    ) {
        log.add(rule, path: self.path, at: position, message: message, remedy: remedy)
    }
}
