//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import TLSWire

/// The rules of App Transport Security that connections must follow.
///
/// Use ``appTransportSecurity(_:)`` to apply an app's Info.plist, or ``strict`` for an app without exceptions.
/// ``withoutAppTransportSecurity`` suits servers that are trusted by other rules, such as those of your own evaluator.
public enum TransportSecurity: Sendable, Hashable {
    /// App Transport Security with the exceptions of an app's Info.plist.
    case appTransportSecurity(ATSPolicy)

    /// No App Transport Security. A connection still needs TLS 1.2 or newer and a trusted chain for the host, and plain HTTP is
    /// refused.
    case withoutAppTransportSecurity

    /// App Transport Security with all its defaults, as for an app without exceptions.
    public static let strict = TransportSecurity.appTransportSecurity(ATSPolicy(ATSDictionary()))

    func requirements(for destination: ATSDestination, client: ATSClient) -> ATSRequirements {
        switch self {
        case .appTransportSecurity(let policy): return policy.requirements(for: destination, client: client)
        case .withoutAppTransportSecurity:
            var requirements = ATSRequirements()
            requirements.requiresTLS = true
            requirements.systemMinimumVersion = .tls12
            return requirements
        }
    }

    /// Returns `true` if the requirements on a destination stay the same from one connection to the next.
    ///
    /// If the program decides which hosts are local, that may change with the network. Hosts outside ASCII are excluded, because
    /// Swift compares them by canonical equivalence and would mix up different texts.
    func isLasting(for destination: ATSDestination) -> Bool {
        guard destination.host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        switch self {
        case .appTransportSecurity(let policy): return policy.configuration.isLocal == nil
        case .withoutAppTransportSecurity: return true
        }
    }
}
