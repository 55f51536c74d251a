//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A fault of a server that Apple's systems logged.
package enum LoggedFault: Sendable, Hashable {
    /// A cipher suite that connections to management servers do not offer from version 27.0 on.
    case cipherSuite(String)
    /// A signature algorithm of the server's certificate that connections to management servers do not offer from version 27.0 on.
    case signatureAlgorithm(String)
    /// TLS 1.2 without the extended master secret.
    case noExtendedMasterSecret
    /// The trust requirement of App Transport Security is not satisfied.
    case trustRequirement
    /// A key of the server that is too small, with its kind, its size and the minimum size in bits.
    case keySize(kind: String, bits: Int, minimum: Int)
    /// A digest algorithm of the leaf's signature that is too weak, by its number.
    case leafDigest(Int)
    case noLeaf
    case noKey
    case checks([FailedChecks])
    /// `ATS failed system trust`.
    case systemTrust
    case streamCode(Int)
    /// A failed load with the error code of URL loading and that of TLS.
    case load(urlError: Int, streamCode: Int?)
    /// A profile that was not installed because its server is not trusted.
    case profileNotInstalled
    /// A failed test of nscurl, by its title.
    case test(String)

    /// The failed checks of one certificate of a path.
    package struct FailedChecks: Sendable, Hashable {
        /// The label of the certificate: `leaf`, `root`, or `ca1` for the first intermediate.
        package let label: String
        package let names: [String]
    }
}

/// A fault as one message of a log reports it.
package struct LoggedRecord: Sendable, Hashable {
    package let fault: LoggedFault
    /// The server, or `nil` if the message names none.
    package var server: String?
    /// `true` for a warning, after which the connection continues.
    package var isWarning = false
    package var task: String?
    /// The chain that the server sent, by subjects and issuers.
    package var chain: [NamedCertificate] = []

    init(_ fault: LoggedFault, server: String? = nil) { (self.fault, self.server) = (fault, server) }
}

/// A certificate described only by its names.
package struct NamedCertificate: Sendable, Hashable {
    package let subject: String
    package let issuer: String
}

extension LoggedFault {
    /// One fault of each case, for lists of codes.
    package static let oneOfEach: [LoggedFault] = [
        .cipherSuite("the suite"), .signatureAlgorithm("the algorithm"), .noExtendedMasterSecret, .trustRequirement,
        .keySize(kind: "RSA", bits: 1_024, minimum: 2_048), .leafDigest(4), .noLeaf, .noKey,
        .checks([FailedChecks(label: "leaf", names: ["SSLHostname"])]), .systemTrust, .streamCode(-9_802),
        .load(urlError: -1_200, streamCode: -9_802), .profileNotInstalled, .test("the test"),
    ]
}

extension LoggedFault {
    /// Returns `true` if two faults cannot belong to one connection, because the TLS code stands for a check that did not fail.
    func contradicts(_ other: LoggedFault) -> Bool {
        guard case .checks(let certificates) = self, case .load(_, let code?) = other else { return false }
        let names = certificates.flatMap(\.names)
        return switch code {
        // errSSLFatalAlert to errSSLNoRootCert are general codes that fit any failed check.
        case -9_802, -9_807, -9_808, -9_812, -9_813: false
        case -9_814, -9_815: !names.contains("TemporalValidity")
        case -9_843: !names.contains("SSLHostname")
        default: true
        }
    }
}
