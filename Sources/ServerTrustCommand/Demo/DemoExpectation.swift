//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import ServerTrustTesting

/// The expected result for a server of the demo.
enum DemoExpectation: Hashable {
    /// The chain and the connection are good.
    case trusted
    /// The chain is refused, and the primary reason has this code.
    case chainRefused(String)
    /// The chain is good, but the connection has the problem with this code.
    case connectionRefused(String)

    init(_ fault: TLSFault) {
        self =
            switch fault {
            case .goodRSA, .goodECDSA, .ipAddressSAN, .wildcardMatch: .trusted
            case .expired: .chainRefused("expired")
            case .notYetValid: .chainRefused("not-yet-valid")
            case .wrongHost, .wildcardMismatch: .chainRefused("name-mismatch")
            case .selfSigned: .chainRefused("untrusted-root")
            case .unknownRoot, .missingIntermediate: .chainRefused("unknown-issuer")
            case .weakRSA: .chainRefused("key-too-small")
            case .sha1Signature: .chainRefused("weak-signature")
            case .wrongEKU: .chainRefused("eku")
            case .nameConstraintViolation: .chainRefused("name-constraints")
            case .lifetimeOverLimit: .chainRefused("lifetime-too-long")
            case .tls10Only: .connectionRefused("tls-version-too-old")
            }
    }

    /// Creates the result of a report in the same terms, or `nil` if the server could not be evaluated.
    init?(_ report: ServerReport) {
        guard case .judged(let server) = report.outcome else { return nil }
        if let failure = server.judgment.result.failure {
            self = .chainRefused(failure.primary.code)
        } else if let problem = server.problems.first {
            self = .connectionRefused(problem.code)
        } else if server.verdict == .trusted {
            self = .trusted
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .trusted: "trusted"
        case .chainRefused(let code), .connectionRefused(let code): "not trusted: \(code)"
        }
    }
}
