//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The meaning of the labels of PEM blocks.
enum PEMLabel {
    /// The contents of a block.
    enum Kind: Sendable {
        case certificate
        case revocationList
        case publicKey
        /// A certificate with additional data that changes its meaning, or several in a message.
        case wrappedCertificates
        /// Neither a certificate nor a list.
        case other

        /// Returns `true` if a block of this kind must not be ignored among blocks of another kind.
        func isRefused(amongBlocksOf content: Kind) -> Bool {
            guard content != .publicKey else { return false }
            switch self {
            case .certificate, .revocationList, .wrappedCertificates: return self != content
            case .publicKey, .other: return false
            }
        }
    }

    /// Returns the kind of contents for a label, or `nil` if the label is unknown.
    static func kind(of label: ArraySlice<UInt8>) -> Kind? {
        // A shortcut past the table for the most frequent label.
        if label.elementsEqual("CERTIFICATE".utf8) { return .certificate }
        return Self.kinds[Array(label)]
    }

    /// Returns a label for a message, shortened, as an unknown label may be as long as its line.
    static func text(of label: ArraySlice<UInt8>) -> String {
        let text = String(decoding: label.prefix(Self.maximumLength), as: UTF8.self)
        return label.count > Self.maximumLength ? text + "…" : text
    }

    private static let maximumLength = 64

    private static let kinds: [[UInt8]: Kind] = {
        let table: [(Kind, [String])] = [
            // The label of RFC 7468 §5.1, and the two synonyms it mentions.
            (.certificate, ["CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE"]),
            // The label of RFC 7468 §6, with the same synonyms.
            (.revocationList, ["X509 CRL", "CRL", "X.509 CRL"]),
            // RFC 7468 §13.
            (.publicKey, ["PUBLIC KEY"]),
            // OpenSSL's form of a certificate with trusted and rejected uses, and the messages of RFC 7468 §8 and §9.
            (.wrappedCertificates, ["TRUSTED CERTIFICATE", "PKCS7", "PKCS #7 SIGNED DATA", "CMS"]),
            // RFC 7468 §7, §10, §11 and §12, and labels of OpenSSL and OpenSSH (openssl/pem.h).
            (
                .other,
                [
                    "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "ANY PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY",
                    "DSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "RSA PUBLIC KEY", "DSA PUBLIC KEY", "ECDSA PUBLIC KEY",
                    "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST", "ATTRIBUTE CERTIFICATE", "PARAMETERS",
                    "DH PARAMETERS", "X9.42 DH PARAMETERS", "EC PARAMETERS", "DSA PARAMETERS",
                ]
            ),
        ]
        var kinds: [[UInt8]: Kind] = [:]
        for (kind, labels) in table {
            for label in labels { kinds[Array(label.utf8)] = kind }
        }
        return kinds
    }()
}
