//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import NIOCore
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

/// A server that every door is asked about.
struct DoorTarget: Sendable {
    /// The host as a person types it, an IPv6 address in brackets.
    let host: String
    /// The port on 127.0.0.1.
    let port: Int
    /// The path of the page that is asked for; empty where redirects are no matter.
    var path = ""
    /// The certificates that the server sends, in DER.
    var chain: [[UInt8]] = []
    /// The pins of the host; none where it has none.
    var pins: [Pin] = []

    var place: String { "\(self.host):\(self.port)" }
    var url: String { "https://\(self.place)\(self.path.isEmpty ? "/" : self.path)" }
    /// The server as an argument of a command.
    var argument: String { self.path.isEmpty ? self.place : self.url }
    /// The host without brackets.
    var name: String { self.host.hasPrefix("[") ? String(self.host.dropFirst().dropLast()) : self.host }

    /// The certificates that the server sends, in PEM.
    var pem: String {
        self.chain.map { certificate in
            let text = Data(certificate).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        }.joined()
    }
}

/// Some servers below one root, and all that a door is told about them.
struct DoorScene: Sendable {
    let folder: TemporaryFolder
    /// The root that is trusted, in PEM.
    let root: String
    var targets: [DoorTarget]
    /// Whether no list of public suffixes is installed.
    var hidesSuffixes = false
    /// How much `diagnose` asks.
    var plan = "standard"

    /// A scene with its root, and its pins, in files.
    static func with<R>(
        _ root: String, _ targets: [DoorTarget], hidesSuffixes: Bool = false,
        _ body: (DoorScene) async throws -> R
    ) async throws -> R {
        try await withTemporaryFolder { folder in
            _ = try folder.file("root.pem", root)
            let pinned = targets.filter { !$0.pins.isEmpty }.map { target in
                let pins = target.pins.map { "\"\($0)\"" }.joined(separator: ",")
                return #"{"host":"\#(target.host)","pins":[\#(pins)]}"#
            }
            let text = #"{"format":"servertrust.pins/1","domains":[\#(pinned.joined(separator: ","))]}"#
            if !pinned.isEmpty { _ = try folder.file("pins.json", text) }
            return try await body(DoorScene(folder: folder, root: root, targets: targets, hidesSuffixes: hidesSuffixes))
        }
    }

    var isAboutRedirects: Bool { self.targets.contains { !$0.path.isEmpty } }
    var hasPins: Bool { self.targets.contains { !$0.pins.isEmpty } }

    /// The same with one server.
    func with(only target: DoorTarget) -> DoorScene {
        var scene = self
        scene.targets = [target]
        return scene
    }

    /// Runs the command.
    func run(_ arguments: [String]) async throws -> Finished {
        let program = try self.program
        return try await CommandLineTool.run(program[0], program.dropFirst() + arguments)
    }

    /// The program, and its first arguments. A mount namespace hides the list of public suffixes of the machine.
    var program: [String] {
        get throws {
            let tool = try CommandLineTool.servertrustPath()
            guard self.hidesSuffixes else { return [tool] }
            let unshare = try #require(CommandLineTool.installed("unshare"))
            let script = #"for d in /usr/share/publicsuffix*; do [ ! -d $d ] || mount --bind "$0" $d; done; exec "$@""#
            try FileManager.default.createDirectory(
                atPath: self.folder.path("empty"), withIntermediateDirectories: true)
            return [unshare, "-rm", "/bin/sh", "-c", script, self.folder.path("empty"), tool]
        }
    }
}

// MARK: - What each door is told. A change of the API or of an option is made here.

extension DoorScene {
    /// The options of a command: the root alone is trusted, and issuers may be fetched from this machine.
    func options(of door: Door) async throws -> [String] {
        var options = ["--roots", self.folder.path("root.pem"), "--anchors-only"]
        if self.hasPins, door.takesPins { options += ["--pins", self.folder.path("pins.json")] }
        let help = try await CommandHelp.shared.text(of: door.command)
        if help.contains("--dangerously-allow-local-addresses") {
            options.append("--dangerously-allow-local-addresses")
        }
        switch door {
        case .evaluate: options.append("--fetch-issuers")
        case .diagnose, .confirm, .profile:
            options += ["--plan", self.plan] + (self.isAboutRedirects ? [] : ["--no-redirects"])
        case .get, .getATS: options += self.isAboutRedirects ? ["-L"] : []
        default: break
        }
        return options
    }

    /// The settings of a gate, a stream and a session.
    func settings(for target: DoorTarget) throws -> ServerTrustSettings {
        var limits = HTTPFetcher.Configuration()
        limits.dangerouslyAllowsLocalAddresses = true
        let trust = TrustConfiguration(anchors: .only(try Certificate.certificates(in: Data(self.root.utf8))))
        var settings = ServerTrustSettings(
            trust: trust.fetchingIssuers(limits), transportSecurity: .withoutAppTransportSecurity)
        settings.handshakeTimeout = .seconds(60)
        if self.hidesSuffixes { settings.publicSuffixes = PublicSuffixFile.list(.registries, installedAt: []) }
        if !target.pins.isEmpty { settings.evaluator = .pins(target.pins) }
        return settings
    }

    /// A session that connects to the server, whatever its name.
    func session(for target: DoorTarget) throws -> HTTPSession {
        var configuration = HTTPSessionConfiguration(trust: try self.settings(for: target))
        configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: target.port))
        configuration.timeouts.connect = .seconds(60)
        return HTTPSession(configuration)
    }
}

extension Door {
    /// The words of the command; none for a library.
    var command: [String] {
        switch self {
        case .evaluate: ["evaluate"]
        case .check, .checkPins: ["check"]
        case .checkATS: ["check", "--ats", "default"]
        case .suggest: ["ats", "suggest"]
        case .diagnose: ["diagnose"]
        case .confirm: ["diagnose", "--confirm"]
        case .profile: ["diagnose"]
        case .scan: ["scan"]
        case .pin: ["pin"]
        case .get: ["get"]
        case .getATS: ["get", "--ats", "default"]
        case .proxy: ["proxy"]
        case .gate, .callback, .stream, .session, .trust, .bootstrap: []
        }
    }
}

/// The help of commands, which says the options that they have.
private actor CommandHelp {
    static let shared = CommandHelp()
    private var texts: [[String]: String] = [:]

    func text(of command: [String]) async throws -> String {
        let words = command.prefix { !$0.hasPrefix("--") }
        if let text = self.texts[Array(words)] { return text }
        let text = try await CommandLineTool.servertrust(words + ["--help"]).output
        self.texts[Array(words)] = text
        return text
    }
}
