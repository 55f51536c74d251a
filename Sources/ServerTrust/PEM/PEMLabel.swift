//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the labels of PEM blocks say is in them.
enum PEMLabel {
    /// What a block holds.
    enum Kind: Sendable {
        case certificate
        case revocationList
        case publicKey
        /// A certificate that is wrapped up with something that changes what it is good for, or several in a message.
        case wrappedCertificates
        /// Neither a certificate nor a list.
        case other

        /// Whether a block of this kind would be lost if it were passed over where another kind is looked for.
        func isRefused(amongBlocksOf content: Kind) -> Bool {
            guard content != .publicKey else { return false }
            switch self {
            case .certificate, .revocationList, .wrappedCertificates: return self != content
            case .publicKey, .other: return false
            }
        }
    }

    /// What is in a block of a label; `nil` when that is not known.
    static func kind(of label: ArraySlice<UInt8>) -> Kind? {
        // Spares most labels the look-up.
        if label.elementsEqual("CERTIFICATE".utf8) { return .certificate }
        return Self.kinds[Array(label)]
    }

    /// A label for a message: an unknown one may be as long as its line.
    static func text(of label: ArraySlice<UInt8>) -> String {
        let text = String(decoding: label.prefix(Self.maximumLength), as: UTF8.self)
        return label.count > Self.maximumLength ? text + "…" : text
    }

    private static let maximumLength = 64

    private static let kinds: [[UInt8]: Kind] = {
        let table: [(Kind, [String])] = [
            // RFC 7468 §5.1's label and the two it mentions as seen in practice that mean the same bytes.
            (.certificate, ["CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE"]),
            // RFC 7468 §6, with the same synonyms.
            (.revocationList, ["X509 CRL", "CRL", "X.509 CRL"]),
            // RFC 7468 §13.
            (.publicKey, ["PUBLIC KEY"]),
            // OpenSSL's form of a certificate with what it is trusted or rejected for; RFC 7468 §8 and §9.
            (.wrappedCertificates, ["TRUSTED CERTIFICATE", "PKCS7", "PKCS #7 SIGNED DATA", "CMS"]),
            // RFC 7468 §7, §10, §11 and §12, and what OpenSSL and OpenSSH write (openssl/pem.h).
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
