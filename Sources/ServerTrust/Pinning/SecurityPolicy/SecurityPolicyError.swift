//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error for settings that do not form a policy.
///
/// The description says how to correct the settings.
public struct SecurityPolicyError: Error, Sendable, Hashable {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// There are pins, but the mode would ignore them.
        case pinsWithoutMode
        /// The mode needs pins, but there are none.
        case modeWithoutPins
        /// Invalid certificates are allowed without pins, so every server would pass.
        case anythingAllowed
        /// A folder cannot be read.
        case unreadable(FileError)
        /// A file is not a certificate.
        case notACertificate(path: String, CertificateError)
        /// A folder has more certificates than a program would pin.
        case tooMany(path: String, limit: Int)
    }

    /// The kind of error.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }
}

extension SecurityPolicyError: CustomStringConvertible {
    /// The error and its remedy, in a sentence.
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
