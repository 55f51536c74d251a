//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import TLSWire

/// Whether App Transport Security holds for connections.
public enum TransportSecurity: Sendable, Hashable {
    /// It holds, as an app's Info.plist says.
    case appTransportSecurity(ATSPolicy)

    /// It does not hold. What remains is TLS 1.2 or newer and a trusted chain for the host; plain HTTP is refused.
    case withoutAppTransportSecurity

    /// It holds with all its defaults, as for an app without exceptions.
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

    /// Whether what is asked of a destination stays the same from one connection to the next.
    ///
    /// What is local may change with the network, where the program says so; and texts that Swift takes for equal are not,
    /// outside of ASCII.
    func isLasting(for destination: ATSDestination) -> Bool {
        guard destination.host.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        switch self {
        case .appTransportSecurity(let policy): return policy.configuration.isLocal == nil
        case .withoutAppTransportSecurity: return true
        }
    }
}
