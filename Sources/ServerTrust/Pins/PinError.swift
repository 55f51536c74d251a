//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Text that is no pin, or pins that do not make a set, and what to write instead.
public struct PinError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Code: Sendable, Hashable {
        /// There is no text.
        case empty
        /// The text is neither Base64 nor hexadecimal.
        case notADigest
        /// The text stands in place of a pin that is still to come.
        case placeholder
        /// The text is Base64 without the `=` at its end.
        case missingPadding
        /// The text is in the alphabet of URLs.
        case urlSafeBase64
        /// The digest has another length than SHA-256's 32 octets.
        case wrongLength(octets: Int)
        /// A digest that can be forged.
        case weakDigest(String)
        /// A digest that is not used for pins.
        case unknownDigest(String)
        /// A set without pins.
        case noPins
        /// A set of one pin where a second is required.
        case noBackup
        /// A date that is not in ISO 8601.
        case invalidDate
    }

    /// What is wrong.
    public let code: Code
    /// The text, printable and cut when it is long; empty without one.
    public let text: String

    init(_ code: Code, text: String) {
        self.code = code
        self.text = PrintableText.text(of: text)
    }
}

extension PinError: CustomStringConvertible {
    /// What is wrong and what to do, for a person.
    public var description: String {
        let subject = self.text.isEmpty ? "" : "\"\(self.text)\": "
        return subject + self.explanation
    }

    private var explanation: String {
        switch self.code {
        case .empty: "a pin is missing. Write sha256/ and the Base64 of the key's SHA-256 digest"
        case .notADigest:
            "not a pin. Write sha256/ and the Base64 of the key's SHA-256 digest (44 characters, of which "
                + "the last is = and the one before it one of AEIMQUYcgkosw048)"
        case .placeholder: "a placeholder, and no pin. Put the digest of a real key there"
        case .missingPadding: "the Base64 is cut off. Its 44th character is an '='"
        case .urlSafeBase64: "Base64 in the alphabet of URLs. Write + for - and / for _"
        case .wrongLength(let octets): "a SHA-256 digest has 32 octets, this has \(octets). Copy it again, whole"
        case .weakDigest(let name): "\(name) pins can be forged. Pin the key's SHA-256 digest"
        case .unknownDigest(let name):
            "\(name) is not a digest pins are made with. Write sha256/ and its SHA-256 digest"
        case .noPins: "there are no pins, and nothing would match. Add one, or do not pin"
        case .noBackup:
            "one pin alone locks everyone out when its key is lost. Add the pin of a backup key, or let the rule be .warn"
        case .invalidDate: "not a date. Write it in ISO 8601, as 2027-01-31 or 2027-01-31T12:00:00Z"
        }
    }
}
