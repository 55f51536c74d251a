//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Logging
public import ServerTrust
import ServerTrustNIO

extension PinReportPoster {
    /// The limits of a poster, and its trust in report servers.
    public struct Configuration: Sendable {
        /// The time for a report at one URI: resolving the name, connecting, the handshake, the answer, and trying again.
        ///
        /// The default is 10 seconds.
        public var timeout: Duration = .seconds(10)

        /// The time for one attempt to connect.
        public var connectTimeout: Duration = .seconds(3)

        /// The octets of an answer that are read in search of its status.
        public var maximumAnswerSize = 16 << 10

        /// The pause before a report is sent once more that met no server or no answer; `nil` never does so.
        ///
        /// RFC 7469 §2.1.4 allows it. A server that answered, or is not trusted, is not tried again.
        public var retryDelay: Duration? = .seconds(1)

        /// The trust in servers of `https` URIs, and the rules. The default is Apple's whole verdict, for which nothing
        /// is fetched.
        public var trust = TrustConfiguration.apple

        /// Decides whether the server of an `https` URI is trusted; the default is Apple's ordinary rules.
        ///
        /// Pins of the report server belong here (RFC 7469 §2.1.4 demands that they count). Their failures are outcomes,
        /// and never reported.
        public var evaluator = ServerTrustEvaluator.default

        /// Whether loopback, private, link-local and all other special addresses may be connected to.
        ///
        /// - Warning: An attacker who answers this machine's DNS queries can then have reports posted to other machines of its own
        ///   network. For report servers inside of it, name their addresses in ``dangerouslyAllowedAddresses``.
        public var dangerouslyAllowsLocalAddresses = false

        /// Special addresses that may be connected to all the same: those of a report server inside the own network.
        ///
        /// - Warning: An attacker who answers this machine's DNS queries can have reports posted to them.
        public var dangerouslyAllowedAddresses: Set<IPAddress> = []

        /// Receives what became of each report: at level `debug` where it was accepted, at `warning` where not. The text
        /// has the report server's host, but neither path nor query.
        public var logger: Logger?

        /// Hears what became of each report at each URI.
        ///
        /// Called once for each, from several tasks, while the reports behind it wait: it should return soon.
        public var onDelivery: (@Sendable (Delivery) -> Void)?

        /// Creates a configuration with the defaults.
        public init() {}
    }
}

extension PinReportPoster.Configuration {
    var addresses: AddressRule {
        AddressRule(
            allowsLocalAddresses: self.dangerouslyAllowsLocalAddresses,
            allowedAddresses: self.dangerouslyAllowedAddresses)
    }
}
