//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Logging
public import ServerTrust
import ServerTrustNIO

extension PinReportPoster {
    /// The limits of a poster, its trust in report servers, and its callbacks.
    public struct Configuration: Sendable {
        /// The time limit of a report for one URI, from name resolution to the response, including a retry.
        ///
        /// The default is 10 seconds.
        public var timeout: Duration = .seconds(10)

        /// The time limit of one connection attempt.
        public var connectTimeout: Duration = .seconds(3)

        /// The maximum size of the head of a response in octets.
        public var maximumAnswerSize = 16 << 10

        /// The delay before a report is sent again if there was no connection or no valid response. `nil` disables the retry.
        ///
        /// RFC 7469 §2.1.4 allows a retry. If the server has responded or is not trusted, the report is not sent again.
        public var retryDelay: Duration? = .seconds(1)

        /// The trust configuration for servers of `https` URIs. The default is Apple's complete verdict without fetching.
        public var trust = TrustConfiguration.apple

        /// The evaluator for servers of `https` URIs. The default applies Apple's ordinary rules.
        ///
        /// It may evaluate pins of the report server, which RFC 7469 §2.1.4 requires to be enforced. Its failures are outcomes and
        /// are never reported themselves.
        public var evaluator = ServerTrustEvaluator.default

        /// `true` if connections to loopback, private, link-local and all other special addresses are allowed.
        ///
        /// - Warning: An attacker that controls DNS responses can then direct reports to other machines of the local network. For
        ///   report servers inside the network, list their addresses in ``dangerouslyAllowedAddresses``.
        public var dangerouslyAllowsLocalAddresses = false

        /// The special addresses to which connections are allowed, such as that of a report server inside the network.
        ///
        /// - Warning: An attacker that controls DNS responses can direct reports to these addresses.
        public var dangerouslyAllowedAddresses: Set<IPAddress> = []

        /// The logger for the outcome of each report: at level `debug` if it was accepted, otherwise at `warning`.
        ///
        /// The text contains the host of the report server, but neither path nor query.
        public var logger: Logger?

        /// A closure that receives the outcome of each report at each URI.
        ///
        /// It is called once for each, from several tasks. Following reports wait until it returns.
        public var onDelivery: (@Sendable (Delivery) -> Void)?

        /// Creates the default configuration.
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
