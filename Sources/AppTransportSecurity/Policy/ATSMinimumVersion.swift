//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// A version that `NSExceptionMinimumTLSVersion` can name.
///
/// The raw value is the text of the key, compared letter by letter.
public enum ATSMinimumVersion: String, Sendable, Hashable, CaseIterable {
    /// TLS 1.0, which no release since 26 supports.
    case tls10 = "TLSv1.0"
    /// TLS 1.1, which no release since 26 supports.
    case tls11 = "TLSv1.1"
    /// TLS 1.2, the default.
    case tls12 = "TLSv1.2"
    /// TLS 1.3.
    case tls13 = "TLSv1.3"
    /// DTLS 1.0, which the engine accepts and no load over TLS can meet.
    case dtls10 = "DTLSv1.0"
    /// DTLS 1.2, which the engine accepts and no load over TLS can meet.
    case dtls12 = "DTLSv1.2"

    /// The version of TLS, or `nil` for DTLS.
    public var version: TLSProtocolVersion? {
        switch self {
        case .tls10: .tls10
        case .tls11: .tls11
        case .tls12: .tls12
        case .tls13: .tls13
        case .dtls10, .dtls12: nil
        }
    }
}

/// A package of requirements for TLS by NIAP, which evaluates products for the government of the United States.
public enum NIAPTLSPackage: String, Sendable, Hashable, CaseIterable {
    /// No package.
    case none
    /// The functional package for TLS, version 2.1.
    case fcp21 = "FCP_v2.1"

    /// Creates the package that the text of a key names, or returns `nil` if it names none.
    public init?(_ text: String) {
        switch text {
        case "recommended": self = .fcp21
        default: self.init(rawValue: text)
        }
    }
}
