//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting

/// A row for each server of the range.
enum FaultRows {
    static func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        try await withTestServers { range in
            try await body(range.root, range.targets.map(Self.row))
        }
    }

    private static func row(_ target: TestTLSServerRange.Target) -> DoorRow {
        let (code, words) = Self.reason(target.fault)
        let answer = code.map(DoorAnswer.refused) ?? .trusted
        let row = DoorRow(
            target.fault.rawValue,
            DoorTarget(host: target.host, port: target.port, chain: target.certificates), answer, words: words)
        return target.fault == .tls10Only ? row.ofHandshakes : row
    }

    private static func reason(_ fault: TLSFault) -> (code: String?, words: String?) {
        switch fault {
        case .goodRSA, .goodECDSA, .ipAddressSAN, .wildcardMatch: (nil, nil)
        case .expired: ("expired", "expired on")
        case .notYetValid: ("not-yet-valid", "is not valid before")
        case .wrongHost, .wildcardMismatch: ("name-mismatch", ", not for ")
        case .selfSigned: ("untrusted-root", "is signed with its own key and is not trusted")
        case .unknownRoot, .missingIntermediate: ("unknown-issuer", "was not sent and is not a trusted root")
        case .weakRSA: ("key-too-small", "1024 bits")
        case .sha1Signature: ("weak-signature", "is signed over SHA-1")
        case .wrongEKU: ("eku", "This use needs")
        case .nameConstraintViolation: ("name-constraints", "has a name it must not have")
        case .lifetimeOverLimit: ("lifetime-too-long", "is valid for 900 days")
        case .tls10Only: ("tls-version-too-old", "TLS 1.2 or 1.3")
        }
    }
}
