//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import InterceptingProxy
import ServerReports
import ServerTrust
import ServerTrustNIO

/// The options for the proxy's clients and its listening addresses.
struct ProxyClientOptions: ParsableArguments {
    /// The environment variable with `USER:PASSWORD`.
    static let variable = "SERVERTRUST_PROXY_PASSWORD"

    @Option(
        name: .customLong("listen"),
        help: ArgumentHelp(
            "The loopback address and port to listen at. Port 0 for one that is free. (default: 127.0.0.1:8080, or the socket "
                + "that systemd hands over)", valueName: "address:port"))
    var places: [ListeningPlace] = []

    @Option(
        name: .customLong("password-file"),
        help: ArgumentHelp(
            "Let programs use the proxy that show what the first line of this file says, USER:PASSWORD. (default: what "
                + "\(ProxyClientOptions.variable) holds, if it is set)", valueName: "file"),
        completion: .file())
    var passwordFile: String?

    @Flag(
        name: .customLong("dangerously-listen-beyond-this-machine"),
        help: ArgumentHelp(
            "Also take --listen with an address that other machines reach. Needs a password of at least 12 characters, which "
                + "goes over the network unprotected, as requests for http do."))
    var listensBeyond = false

    /// Returns the credential that clients must present, or `nil` if none is required.
    func credential(_ environment: [String: String]) throws -> ClientCredential? {
        guard let text = try self.text(environment) else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        do {
            return try ClientCredential(user: String(parts[0]), password: String(parts.dropFirst().first ?? ""))
        } catch {
            throw CommandError("\(self.passwordFile.map { "--password-file \($0)" } ?? Self.variable): \(error)")
        }
    }

    private func text(_ environment: [String: String]) throws -> String? {
        guard let passwordFile else { return environment[Self.variable] }
        var contents: [UInt8]
        do { contents = try BoundedFile.read(passwordFile, maximumSize: 1 << 16) } catch {
            throw CommandError("\(error)")
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if contents.starts(with: mark) { contents.removeFirst(mark.count) }
        // A lenient decoder would replace all invalid bytes by the same character, which is easy to guess.
        guard let text = String(validating: contents.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self) else {
            throw CommandError("--password-file \(passwordFile): the first line is not UTF-8. Save the file as UTF-8")
        }
        return text
    }

    /// Sets the listening address and the access rules.
    ///
    /// - Parameters:
    ///   - configuration: The configuration to change.
    ///   - environment: The environment.
    ///   - process: The identifier of this process.
    func apply(
        to configuration: inout InterceptingProxyConfiguration, _ environment: [String: String], process: Int32
    ) throws {
        configuration.credential = try self.credential(environment)
        configuration.dangerouslyListensBeyondThisMachine = self.listensBeyond
        configuration.listeningSocket = try SocketActivation.socket(environment, process: process)
        guard self.places.count <= 1 else { throw CommandError("the proxy listens at one place. Give --listen once") }
        guard self.places.isEmpty || configuration.listeningSocket == nil else {
            throw CommandError("systemd hands over a socket to listen at. Leave out --listen")
        }
        let place = try self.places.first ?? ListeningPlace.usual
        (configuration.address, configuration.port) = (place.host.text, place.port)
    }
}

/// A client certificate for one host: `HOST=FILE[:PASSWORD]`.
struct HostIdentity: ExpressibleByArgument, Sendable {
    let host: Host
    private let file: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let host = try? Host(String(parts[0])) else { return nil }
        self.host = host
        self.file = String(parts[1])
    }

    /// Reads the identity, as `servertrust get` reads `--cert` and `--p12`.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read.
    func identity() throws -> TLSIdentity {
        let path = try FileAndPassword(self.file).path
        let contents: [UInt8]
        do { contents = try BoundedFile.read(path, maximumSize: 1 << 20) } catch { throw CommandError("\(error)") }
        let option = FileKind(of: contents) == .encoded(.keyStore) ? "--p12" : "--cert"
        guard let identity = try IdentityArguments.parse([option, self.file]).identities().first else {
            throw CommandError("\(path): there is no certificate with its key")
        }
        return identity
    }
}
