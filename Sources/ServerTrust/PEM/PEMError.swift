//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A line of a PEM text (RFC 7468) that cannot be read, and what to do about it.
public struct PEMError: Error, Sendable, Hashable {
    /// What is wrong with the line.
    public enum Fault: Sendable, Hashable {
        /// It looks like the BEGIN or END line of a block and is not written as RFC 7468 §3 asks.
        case malformedBoundary
        /// It begins a block with a label that is not known.
        case unknownLabel(String)
        /// It begins a block of a known kind that is not read here and must not be lost: a revocation list among
        /// certificates, a certificate among lists, OpenSSL's `TRUSTED CERTIFICATE`, or a PKCS#7 message.
        case unexpectedBlock(String)
        /// It begins a block that holds a certificate or list, and its label says that it holds something else.
        case mislabeledBlock(String)
        /// It ends a block that does not begin.
        case missingBegin
        /// It begins a block that does not end.
        case missingEnd
        /// It ends a block with another label than the block begins with.
        case mismatchedEnd
        /// It is in a block and not Base64, or ends a block whose Base64 is not complete.
        case invalidBase64
        /// It is Base64 of a certificate or list, and in no block.
        case base64OutsideBlock
        /// It has octets that no text has.
        case binaryData
    }

    /// The number of the line, from 1.
    public let line: Int
    /// What is wrong with it.
    public let fault: Fault

    init(line: Int, _ fault: Fault) {
        self.line = line
        self.fault = fault
    }
}

extension PEMError: CustomStringConvertible {
    /// The line, what is wrong with it and what to do, for a person.
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
