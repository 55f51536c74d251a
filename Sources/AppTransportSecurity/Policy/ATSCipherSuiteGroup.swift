//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// A group of cipher suites that a connection may use.
///
/// The documentation and the engine list different suites for a group. ``suites(_:)`` returns either list.
public enum ATSCipherSuiteGroup: String, Sendable, Hashable, CaseIterable {
    /// The suites of App Transport Security, which all have ephemeral keys.
    case ats
    /// The suites of App Transport Security and those with the server's RSA key.
    case atsAndCompatible = "ats+compat"
    /// The suites that the loading system offers without any restriction.
    case unrestricted
    /// The suites of NIAP's package FCP_v2.1.
    case fcp21 = "fcp-v2.1"

    /// Returns the suites, most preferred first.
    ///
    /// Apple has not published the suites of an unrestricted offer. ``unrestricted`` has all suites that the same source names.
    public func suites(_ strictness: ATSStrictness = .engine) -> [CipherSuite] {
        switch self {
        case .ats: Self.ephemeral(strictness)
        // SecProtocolConfiguration.m lists the compatible suites first.
        case .atsAndCompatible: Self.staticRSA(strictness) + Self.ephemeral(strictness)
        case .unrestricted: Self.ephemeral(strictness) + Self.staticRSA(strictness)
        case .fcp21: Self.fcp
        }
    }

    private static func ephemeral(_ strictness: ATSStrictness) -> [CipherSuite] {
        strictness == .engine ? Self.engineEphemeral : Self.documentedEphemeral
    }

    private static func staticRSA(_ strictness: ATSStrictness) -> [CipherSuite] {
        strictness == .engine ? Self.engineStaticRSA : Self.documentedStaticRSA
    }

    private static let engineEphemeral = Self.suites([
        0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xCCA9, 0xC00A, 0xC009, 0xC030, 0xC02F, 0xCCA8, 0xC014, 0xC013,
    ])

    private static let engineStaticRSA = Self.suites([0x009D, 0x009C, 0x0035, 0x002F])

    /// The list of the archived Cocoa Keys. For TLS 1.3, which they do not cover, it follows "AES-128 or AES-256" of today's page.
    private static let documentedEphemeral = Self.suites([
        0x1301, 0x1302, 0xC02C, 0xC02B, 0xC024, 0xC00A, 0xC023, 0xC009, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC013,
    ])

    private static let documentedStaticRSA = Self.suites([0x009D, 0x009C, 0x003D, 0x0035, 0x003C, 0x002F])

    private static let fcp = Self.suites([0x1301, 0x1302, 0x1303, 0xC02C, 0xC02B, 0xC030, 0xC02F])

    private static func suites(_ numbers: [UInt16]) -> [CipherSuite] { numbers.map(CipherSuite.init) }
}
