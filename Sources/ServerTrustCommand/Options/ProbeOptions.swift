//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ArgumentParser
import ServerDiagnosis
import ServerTrustNIO
public import TLSProbe

/// The options of all commands that test servers.
struct ProbeOptions: ParsableArguments {
    @OptionGroup var connecting: ConnectingOptions

    @Option(
        name: .customLong("timeout"),
        help: ArgumentHelp("The seconds that each connection may take. (default: 5)", valueName: "seconds"),
        transform: ConnectionOptions.duration
    )
    var givenTimeout: Duration?

    @Option(
        name: .customLong("total-timeout"),
        help: ArgumentHelp(
            "The time of each server in all, whatever it sends and however many connections it takes. (default: 120)",
            valueName: "seconds"),
        transform: ConnectionOptions.duration
    )
    var totalTimeout: Duration?

    /// The names of the options that were given, as far as they differ from their defaults.
    var given: [String] {
        let own = [("--timeout", self.givenTimeout != nil), ("--total-timeout", self.totalTimeout != nil)]
        return self.connecting.given + own.filter(\.1).map(\.0)
    }

    /// Parses the name of a server.
    ///
    /// - Throws: `TLSEndpointError` with a description of the correct form.
    func endpoint(_ text: String) throws -> TLSEndpoint { try self.connecting.endpoint(text) }

    /// Returns the settings for connections.
    ///
    /// - Throws: ``CommandError`` if the client's certificate or key cannot be read.
    func configuration() throws(CommandError) -> Prober.Configuration {
        try self.connecting.configuration(timeout: self.givenTimeout ?? .seconds(5), total: self.totalTimeout)
    }
}

extension ProbePlan: ExpressibleByArgument {}
