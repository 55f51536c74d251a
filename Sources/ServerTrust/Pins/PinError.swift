//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// An error for text that is not a pin, or for pins that do not form a set.
///
/// The description says how to correct the text.
public struct PinError: Error, Sendable, Hashable {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// The text is empty.
        case empty
        /// The text is neither Base64 nor hexadecimal.
        case notADigest
        /// The text is a placeholder for a pin.
        case placeholder
        /// The text is Base64 without the final `=`.
        case missingPadding
        /// The text is in the URL-safe alphabet of Base64.
        case urlSafeBase64
        /// The digest does not have the 32 octets of SHA-256.
        case wrongLength(octets: Int)
        /// The digest algorithm is broken, so that pins can be forged.
        case weakDigest(String)
        /// The digest algorithm is not used for pins.
        case unknownDigest(String)
        /// The set has no pins.
        case noPins
        /// The set has one pin, and a backup pin is required.
        case noBackup
        /// The date is not in ISO 8601.
        case invalidDate
    }

    /// The kind of error.
    public let code: Code
    /// The text in printable characters, shortened if it is long. Empty if there is none.
    public let text: String

    init(_ code: Code, text: String) {
        self.code = code
        self.text = PrintableText.text(of: text)
    }
}

extension PinError: CustomStringConvertible {
    /// The error and its remedy, in a sentence.
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
