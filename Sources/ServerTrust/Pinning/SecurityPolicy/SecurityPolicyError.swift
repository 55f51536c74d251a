//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Settings that make no policy, and what to write instead.
public struct SecurityPolicyError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Code: Sendable, Hashable {
        /// Pins are given, and the mode would ignore them.
        case pinsWithoutMode
        /// The mode needs pins, and there are none.
        case modeWithoutPins
        /// Invalid certificates are allowed, and nothing is pinned: everyone would pass.
        case anythingAllowed
        /// A folder cannot be read.
        case unreadable(FileError)
        /// A file is no certificate.
        case notACertificate(path: String, CertificateError)
        /// A folder has more certificates than anyone pins.
        case tooMany(path: String, limit: Int)
    }

    /// What is wrong.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }
}

extension SecurityPolicyError: CustomStringConvertible {
    /// What is wrong and what to do, for a person.
    public var description: String {
        switch self.code {
        case .pinsWithoutMode:
            "certificates are given to pin, and the mode .none ignores them: write pinningMode: .publicKey or "
                + ".certificate, or leave them out"
        case .modeWithoutPins:
            "the mode pins, and there is no certificate to pin: give pinnedCertificates, put .cer, .crt or .der files "
                + "into the bundle, or write SecurityPolicy.default"
        case .anythingAllowed:
            "allowing invalid certificates without a pin would let everyone pass: pin the server's certificate with "
                + "pinningMode: .certificate, trust your own authority with AnchoredTrustEvaluator, or, where nothing is "
                + "at stake, say DisabledTrustEvaluator()"
        case .unreadable(let error): "\(error)"
        case .notACertificate(let path, let error): "\(path): \(error)"
        case .tooMany(let path, let limit):
            "\(path): more than \(limit) certificates. Pin a few, from a folder of their own"
        }
    }
}
