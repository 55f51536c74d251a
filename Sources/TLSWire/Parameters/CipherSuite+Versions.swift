//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    /// Whether the suite is one of TLS 1.3 only (RFC 8446 §B.4); so is an unknown one beside those.
    public var isTLS13: Bool { self.rawValue >> 8 == 0x13 || self.traits?.isTLS13 == true }

    /// The first version that has the suite; `nil` for an unknown one.
    ///
    /// For SSL 3.0 this is what servers did, not RFC 6101: they used the suites of RFC 3268 and later there as well.
    public var earliestVersion: TLSProtocolVersion? { self.traits?.versions.lowerBound }

    /// The last version that has the suite; `nil` for an unknown one.
    public var latestVersion: TLSProtocolVersion? { self.traits?.versions.upperBound }
}

extension CipherSuiteParts {
    /// RFC 9367 alone keeps the older form of name in TLS 1.3.
    var isTLS13: Bool { self.exchange == nil || self.cipher.contains("_MGM_") }

    var versions: ClosedRange<TLSProtocolVersion> {
        if self.isTLS13 { return .tls13 ... .tls13 }
        let earliest = self.earliestVersion
        return earliest...max(earliest, self.latestVersion)
    }

    private var earliestVersion: TLSProtocolVersion {
        if self.isAuthenticatedEncryption || self.exchange == "GOSTR341112_256" { return .tls12 }
        guard self.digest == "SHA256" || self.digest == "SHA384" else {
            let isTLS = self.isOnCurves || self.keyExchange == .gost || self.keyExchange == .kerberos
            return isTLS ? .tls10 : .ssl30
        }
        // RFC 5487 §3 and RFC 5489 §3.2 let their CBC suites be used with any version; RFC 6209 has no such word.
        return self.isPreShared && self.protection != .ariaCBC ? .tls10 : .tls12
    }

    private var latestVersion: TLSProtocolVersion {
        switch self.cipher {
        case _ where self.keyExchange == .fortezza: .ssl30
        // RFC 4346 §A.5: "MUST NOT negotiate these cipher suites in TLS 1.1".
        case _ where self.export != nil: .tls10
        // RFC 5469 §1: "MUST NOT be used" from TLS 1.2 on.
        case "DES_CBC", "IDEA_CBC": .tls11
        default: .tls12
        }
    }

    private var isOnCurves: Bool {
        switch self.keyExchange {
        case .ecdhe, .ecdh, .ecdhePSK, .eccpwd: true
        default: false
        }
    }

    private var isPreShared: Bool {
        switch self.keyExchange {
        case .psk, .dhePSK, .ecdhePSK, .rsaPSK: true
        default: false
        }
    }
}
