//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error for a line of a PEM text (RFC 7468) that cannot be read.
///
/// The description says how to correct the text.
public struct PEMError: Error, Sendable, Hashable {
    /// The faults of a line.
    public enum Fault: Sendable, Hashable {
        /// The line resembles a BEGIN or END line, but does not have the form of RFC 7468 §3.
        case malformedBoundary
        /// The line begins a block with an unknown label.
        case unknownLabel(String)
        /// The line begins a block of a known kind that is not read here and must not be ignored: a revocation list among
        /// certificates, a certificate among lists, OpenSSL's `TRUSTED CERTIFICATE`, or a PKCS#7 message.
        case unexpectedBlock(String)
        /// The line begins a block with a certificate or list, but its label says otherwise.
        case mislabeledBlock(String)
        /// The line ends a block that was not begun.
        case missingBegin
        /// The line begins a block without an end.
        case missingEnd
        /// The line ends a block with another label than that of its beginning.
        case mismatchedEnd
        /// The line is in a block and not Base64, or ends a block with incomplete Base64.
        case invalidBase64
        /// The line is Base64 of a certificate or list, outside of a block.
        case base64OutsideBlock
        /// The line has octets that do not occur in text.
        case binaryData
    }

    /// The number of the line, from 1.
    public let line: Int
    /// The fault of the line.
    public let fault: Fault

    init(line: Int, _ fault: Fault) {
        self.line = line
        self.fault = fault
    }
}

extension PEMError: CustomStringConvertible {
    /// The line, its fault and the remedy, for people.
    public var description: String {
        switch self.fault {
        case .malformedBoundary:
            "line \(self.line) is not a correct BEGIN or END line: write it as in `-----BEGIN CERTIFICATE-----`, "
                + "with five dashes on both sides, in upper case, and alone on its line"
        case .unknownLabel(let label):
            "line \(self.line) begins a block of an unknown kind, “\(label)”: correct the label, or remove the block"
        case .unexpectedBlock(let label):
            "line \(self.line) begins a block that is not read here, “\(label)”: \(Self.remedy(for: label))"
        case .mislabeledBlock(let label):
            "line \(self.line) begins a block that holds a certificate or revocation list, and its label is “\(label)”: "
                + "correct the label, or remove the block"
        case .missingBegin:
            "line \(self.line) ends a block that does not begin: copy the block again, from BEGIN to END"
        case .missingEnd:
            "the block that begins in line \(self.line) has no END line: the file is cut off"
        case .mismatchedEnd:
            "line \(self.line) ends another kind of block than begins before it: copy the block again, from BEGIN to END"
        case .invalidBase64:
            "line \(self.line) of a PEM block is not Base64: copy the block again, from BEGIN to END"
        case .base64OutsideBlock:
            "line \(self.line) is Base64 outside a block: put a BEGIN line before it and an END line behind it"
        case .binaryData:
            "line \(self.line) has bytes that are not text: give PEM and DER in files of their own, and text in UTF-8"
        }
    }

    private static func remedy(for label: String) -> String {
        switch PEMLabel.kind(of: Array(label.utf8)[...]) {
        case .certificate: "give certificates in a file of their own"
        case .revocationList: "give revocation lists in a file of their own"
        case .wrappedCertificates where label == "TRUSTED CERTIFICATE":
            "write it as a plain certificate with `openssl x509 -in FILE -out NEW`"
        default: "take the certificates out of the message with `openssl pkcs7 -print_certs -in FILE -out NEW`"
        }
    }
}
