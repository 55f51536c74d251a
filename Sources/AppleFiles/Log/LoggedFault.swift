//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that Apple's systems logged about a server.
package enum LoggedFault: Sendable, Hashable {
    /// A cipher suite that management does not offer from 27.0 on.
    case cipherSuite(String)
    /// The server's certificate is signed with an algorithm that management does not offer from 27.0 on.
    case signatureAlgorithm(String)
    /// TLS 1.2 without the extended master secret.
    case noExtendedMasterSecret
    /// The trust that App Transport Security asks for was not met.
    case trustRequirement
    /// The server's key is too small: its kind, its bits, and the least.
    case keySize(kind: String, bits: Int, minimum: Int)
    /// The server's certificate is signed over too weak a digest, by its number.
    case leafDigest(Int)
    /// There is no certificate of the server.
    case noLeaf
    /// There is no key of the server.
    case noKey
    /// The checks that failed, by certificate.
    case checks([FailedChecks])
    /// `ATS failed system trust`.
    case systemTrust
    /// A code of TLS alone.
    case streamCode(Int)
    /// A load that failed, with the code of URL loading and that of TLS.
    case load(urlError: Int, streamCode: Int?)
    /// A profile was not installed, as its server is not trusted.
    case profileNotInstalled
    /// A test of nscurl's failed, by its title.
    case test(String)

    /// The failed checks of one certificate of a path.
    package struct FailedChecks: Sendable, Hashable {
        /// `leaf`, `root`, or `ca1` for the first certificate between them.
        package let label: String
        /// Names of Apple's checks.
        package let names: [String]
    }
}

/// One fault as a line says it.
package struct LoggedRecord: Sendable, Hashable {
    /// The fault.
    package let fault: LoggedFault
    /// The server; `nil` where the line names none.
    package var server: String?
    /// True for a warning: the connection went on.
    package var isWarning = false
    /// The task of URL loading that the line is about.
    package var task: String?
    /// The chain that the server sent, by subject and issuer.
    package var chain: [NamedCertificate] = []

    init(_ fault: LoggedFault, server: String? = nil) { (self.fault, self.server) = (fault, server) }
}

/// A certificate by its names alone.
package struct NamedCertificate: Sendable, Hashable {
    /// The subject in short.
    package let subject: String
    /// The issuer in short.
    package let issuer: String
}

extension LoggedFault {
    /// One of each, for lists of codes.
    package static let oneOfEach: [LoggedFault] = [
        .cipherSuite("the suite"), .signatureAlgorithm("the algorithm"), .noExtendedMasterSecret, .trustRequirement,
        .keySize(kind: "RSA", bits: 1_024, minimum: 2_048), .leafDigest(4), .noLeaf, .noKey,
        .checks([FailedChecks(label: "leaf", names: ["SSLHostname"])]), .systemTrust, .streamCode(-9_802),
        .load(urlError: -1_200, streamCode: -9_802), .profileNotInstalled, .test("the test"),
    ]
}

extension LoggedFault {
    /// True if two faults cannot be of one connection: the code of TLS names another check than those that failed.
    func contradicts(_ other: LoggedFault) -> Bool {
        guard case .checks(let certificates) = self, case .load(_, let code?) = other else { return false }
        let names = certificates.flatMap(\.names)
        return switch code {
        // errSSLFatalAlert to errSSLNoRootCert: some check failed, as far as the code tells.
        case -9_802, -9_807, -9_808, -9_812, -9_813: false
        case -9_814, -9_815: !names.contains("TemporalValidity")
        case -9_843: !names.contains("SSLHostname")
        default: true
        }
    }
}
