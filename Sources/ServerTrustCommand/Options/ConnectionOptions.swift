//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerTrust
import ServerTrustNIO
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of every command that connects to servers.
struct ConnectionOptions: ParsableArguments {
    @OptionGroup var connecting: ConnectingOptions

    @Option(
        name: .customLong("timeout"),
        help: ArgumentHelp("The time each server has to connect and shake hands. (default: 10)", valueName: "seconds"),
        transform: ConnectionOptions.duration
    )
    var timeout = Duration.seconds(10)

    @Option(
        name: .customLong("minimum-tls"),
        help: ArgumentHelp("The oldest version of TLS that is accepted.", valueName: "version")
    )
    var minimumTLS = MinimumTLS.tls12

    /// Parses the name of a server.
    ///
    /// - Throws: `TLSEndpointError` with a description of the correct form.
    func endpoint(_ text: String) throws -> TLSEndpoint { try self.connecting.endpoint(text) }

    static func duration(_ text: String) throws -> Duration {
        guard let seconds = Double(text), (0.001...86_400).contains(seconds) else {
            throw CommandError("give a number of seconds from 0.001 to 86400")
        }
        return .seconds(seconds)
    }
}

/// The versions of TLS that can be required.
enum MinimumTLS: String, CaseIterable, ExpressibleByArgument, Sendable {
    case tls10 = "1.0"
    case tls11 = "1.1"
    case tls12 = "1.2"
    case tls13 = "1.3"

    var version: TLSProtocolVersion {
        switch self {
        case .tls10: .tls10
        case .tls11: .tls11
        case .tls12: .tls12
        case .tls13: .tls13
        }
    }
}
