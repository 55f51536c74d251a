//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error in the encoding of a certificate, key, list, response or container.
///
/// The readers throw it while they parse. A certificate that cannot be parsed cannot be evaluated, which is not the
/// same as a certificate that was evaluated and rejected.
public struct DERError: Error, Sendable, Hashable {
    /// The rule that the bytes broke.
    public let code: Code
    /// The offset of the offending element from the start of the parsed buffer.
    public let offset: Int

    @inline(__always)
    init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// The rules of X.690 (DER) and RFC 5280 §4 that parsing enforces.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The input is empty.
        case empty
        /// The input is larger than the reader accepts.
        case tooLarge = "too-large"
        /// An element ends after its container.
        case truncated
        /// Bytes follow the last element of a container.
        case trailingBytes = "trailing-bytes"
        /// An element has a tag that is not allowed in its place.
        case unexpectedTag = "unexpected-tag"
        /// A tag number above 30, which no structure of a certificate uses.
        case highTagNumber = "high-tag-number"
        /// A length of the indefinite form (X.690 §8.1.3.6), which DER forbids.
        case indefiniteLength = "indefinite-length"
        /// A length encoded in more bytes than needed (X.690 §10.1).
        case nonMinimalLength = "non-minimal-length"
        /// A BOOLEAN that is neither 0x00 nor 0xFF (X.690 §11.1).
        case invalidBoolean = "invalid-boolean"
        /// An INTEGER that is empty, padded, negative or too large for its place.
        case invalidInteger = "invalid-integer"
        /// A BIT STRING with an impossible count of unused bits, or unused bits that are set.
        case invalidBitString = "invalid-bit-string"
        /// An OBJECT IDENTIFIER that is empty or has an incomplete last component.
        case invalidObjectIdentifier = "invalid-object-identifier"
        /// A NULL with content.
        case invalidNull = "invalid-null"
        /// A time that is not `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`, or not a date (RFC 5280 §4.1.2.5).
        case invalidTime = "invalid-time"
        /// A version other than 1, 2 or 3, or version 1 encoded although it is the default.
        case invalidVersion = "invalid-version"
        /// A serial number longer than any certificate authority writes.
        case invalidSerialNumber = "invalid-serial-number"
        /// A SET or SEQUENCE that needs an element is empty.
        case emptyCollection = "empty-collection"
        /// More elements than any real certificate has.
        case tooManyElements = "too-many-elements"
        /// Extensions in a certificate that is not version 3.
        case extensionsBeforeVersion3 = "extensions-before-version-3"
        /// A known critical extension with content of another syntax.
        case malformedCriticalExtension = "malformed-critical-extension"
        /// A distinguished name that is not a sequence of sets of attributes.
        case invalidName = "invalid-name"
        /// A GeneralName with an unknown tag or an impossible content.
        case invalidGeneralName = "invalid-general-name"
        /// A field that another field makes mandatory, or that RFC 5280 forbids here.
        case invalidCombination = "invalid-combination"
        /// An AlgorithmIdentifier with parameters that its algorithm does not allow.
        case invalidAlgorithmParameters = "invalid-algorithm-parameters"
        /// An OCSP response with a status other than successful (RFC 6960 §4.2.1).
        case unsuccessfulResponse = "unsuccessful-response"
        /// A public key that is not of the form its algorithm prescribes.
        case invalidPublicKey = "invalid-public-key"
    }
}

extension DERError: CustomStringConvertible {
    /// The rule and the offset, for logs and messages: `trailing-bytes at byte 1042`.
    public var description: String { "\(self.code.rawValue) at byte \(self.offset)" }
}
