//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// Something odd, hostile or broken that a server did, which is worth knowing whatever else is found.
public enum ProbeAnomaly: Sendable, Hashable {
    /// The answer was not TLS: how it begins, in printable characters.
    case notTLS(beginning: String)
    /// The answer broke TLS's rules.
    case malformed(FlightError)
    /// Bytes went on coming, so slowly that time ran out.
    case slow(bytes: Int)
    /// It agreed on something that was not offered.
    case choseUnoffered(String)
    /// It agreed on a suite, and refused it later: machines of different settings may stand behind one address.
    case contradiction(String)
    /// It sent a warning alert before it went on.
    case warningAlert(TLSAlertDescription)
    /// Offers of many suites fail, where the same suites in smaller offers do not.
    case intolerantOfManySuites
    /// Offers of TLS 1.3 fail, where those of older versions alone do not (RFC 8446 §D.2).
    case intolerantOfNewVersions
    /// It refuses TLS 1.3 from clients that send no key share, instead of asking for one (RFC 8446 §4.2.8).
    case needsKeyShare
    /// It needs a hello without extensions.
    case intolerantOfExtensions
    /// It closes or resets connections where an alert is due.
    case refusesSilently
    /// It began to refuse connections while it was asked.
    case limitsConnections
    /// Its chain has more certificates than any path needs.
    case longChain(count: Int)
    /// It presents ever other chains, of which only the first few are kept.
    case manyChains
    /// The chain of a handshake could not be fetched: why.
    case chainUnknown(ProbeFailure)
    /// It knows no site of the name sent, and answers all the same or not at all.
    case unrecognizedName
    /// It shows different certificates to TLS 1.3 and to older versions.
    case chainDependsOnVersion
}
