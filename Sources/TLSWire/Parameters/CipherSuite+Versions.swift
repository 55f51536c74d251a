//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    /// `true` for suites that only TLS 1.3 has (RFC 8446 §B.4), and for unknown suites in the same range of numbers.
    public var isTLS13: Bool { self.rawValue >> 8 == 0x13 || self.traits?.isTLS13 == true }

    /// The first version with the suite, or `nil` for an unknown suite.
    ///
    /// For SSL 3.0 it follows the practice of servers and not RFC 6101: servers used the suites of RFC 3268 and later there, too.
    public var earliestVersion: TLSProtocolVersion? { self.traits?.versions.lowerBound }

    /// The last version with the suite, or `nil` for an unknown suite.
    public var latestVersion: TLSProtocolVersion? { self.traits?.versions.upperBound }
}

extension CipherSuiteParts {
    /// `true` for suites of TLS 1.3. Only RFC 9367 keeps the older form of names there.
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
        // RFC 5487 §3 and RFC 5489 §3.2 allow their CBC suites in any version. RFC 6209 does not.
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
