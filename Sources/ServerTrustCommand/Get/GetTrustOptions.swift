//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser
import PinReports
import PinningDialects
import ServerDiagnosisNIO
import ServerTrust
import ServerTrustNIO

/// What servers must be: trusted, pinned, and as App Transport Security demands.
struct GetTrustOptions: ParsableArguments {
    @OptionGroup var trust: TrustOptions

    @Option(
        name: .customLong("cacert"), parsing: .unconditional,
        help: ArgumentHelp("Trust the roots of this file and no others, as curl does.", valueName: "file"),
        completion: .file())
    var rootFile: String?

    @Option(
        name: .customLong("pinnedpubkey"), parsing: .unconditional,
        help: ArgumentHelp(
            "Refuse servers whose own key is not among these: sha256//BASE64, several separated by ';'.",
            valueName: "pins"))
    var keys: String?

    @OptionGroup var pins: PinArguments

    @OptionGroup var identity: IdentityArguments

    @Option(
        name: [.customLong("ats"), .customLong("plist")],
        help: ArgumentHelp(
            "Connect as the app with this Info.plist may: App Transport Security with its exceptions, and its pins. An app without "
                + "exceptions: default.", valueName: "Info.plist|default"), completion: .file())
    var infoPlist: String?

    @OptionGroup var rules: ATSOptions

    @Flag(
        name: .customLong("insecure-http"),
        help:
            "Send requests without TLS where the URL, or a redirect, is http. Everyone on the way can read and change them."
    )
    var allowsPlainHTTP = false

    @Flag(name: [.customShort("k"), .customLong("insecure")], help: .hidden)
    var isInsecure = false

    func validate() throws {
        if self.isInsecure {
            throw ValidationError("every server must be trusted; name the root of a private one with --roots FILE")
        }
        if self.trust.moment != nil {
            throw ValidationError("--at does not go with this command, which judges servers as of now; leave it out")
        }
        if self.trust.publicTrust.isRequired {
            throw ValidationError("--require-apple-data does not go with this command; see `servertrust check`")
        }
        if self.rootFile != nil, self.trust.namesRoots || self.trust.anchorsOnly {
            throw ValidationError("--cacert names the only roots; give it alone, or --roots with --anchors-only")
        }
        if self.infoPlist == nil, let first = self.rules.given.first {
            throw ValidationError("\(first) is about App Transport Security; add --ats Info.plist, or --ats default")
        }
        _ = try self.keyEvaluator()
    }

    /// The rules for chains.
    func trustSettings() throws -> TrustSettings {
        var options = self.trust
        if let rootFile {
            options.roots = [try RootSource(rootFile)]
            options.anchorsOnly = true
        }
        return try options.settings()
    }

    /// The rules for every connection.
    func settings() throws -> ServerTrustSettings {
        let read = try self.trustSettings()
        var settings = ServerTrustSettings(
            anchors: read.trust.anchors, transportSecurity: try self.transportSecurity())
        settings.profile = read.trust.profile
        settings.transparency = read.trust.transparency
        settings.revocation = read.trust.revocation
        settings.publicSuffixes = read.trust.publicSuffixes
        let identities = try self.identity.identities()
        guard identities.count <= 1 else {
            throw CommandError("get shows one certificate of the client; give --cert or --p12")
        }
        settings.identity = identities.first
        settings.evaluator = GetEvaluator(
            pins: try self.pins.pins(), requiresPins: self.pins.areRequired,
            keys: try self.keyEvaluator())
        return settings
    }

    private func transportSecurity() throws -> TransportSecurity {
        self.infoPlist == nil ? .withoutAppTransportSecurity : .appTransportSecurity(try self.policy())
    }

    /// The rules of App Transport Security: those of the Info.plist, or those without one.
    func policy() throws -> ATSPolicy {
        guard let infoPlist, infoPlist != "default" else {
            return ATSPolicy(ATSDictionary(), configuration: self.rules.configuration)
        }
        return try ATSPolicy(file: infoPlist, self.rules)
    }

    /// What compares the server's own key, as curl does.
    private func keyEvaluator() throws -> ServerTrustEvaluator? {
        guard let keys else { return nil }
        var pins: [Pin] = []
        for text in keys.split(separator: ";") {
            guard text.hasPrefix("sha256//"), let pin = try? Pin("sha256/" + text.dropFirst(8)) else {
                throw ValidationError(
                    "--pinnedpubkey '\(text)' is no pin: write sha256//BASE64, as `servertrust pin --for curl` does")
            }
            pins.append(pin)
        }
        guard !pins.isEmpty else { throw ValidationError("--pinnedpubkey has no pin; write sha256//BASE64") }
        return .pins(try PinSet([PinSet.Requirement(pins, scope: .leaf)]))
    }
}

/// The rules of one call: those of trust, and every pin that was given.
private struct GetEvaluator: ServerTrustEvaluating {
    let pins: PinsFile?
    let requiresPins: Bool
    let keys: ServerTrustEvaluator?

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluate(trust, forHost: host, port: nil)
    }

    func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        let decision = self.pinned(trust, host, port: port)
        guard decision.isTrusted, let keys else { return decision }
        return keys.evaluate(trust, forHost: host)
    }

    private func pinned(_ trust: Trust, _ host: String, port: Int?) -> ServerTrustDecision {
        guard let pins else { return ServerTrustEvaluator.default.evaluate(trust, forHost: host) }
        let evaluator: ServerTrustEvaluator
        do {
            let domain = try pins.domain(forHost: host, port: port)
            evaluator =
                self.requiresPins ? PinnedDomain.evaluatorRequiringPins(domain) : domain?.evaluator ?? .default
        } catch {
            // A host that cannot be looked up may have pins.
            evaluator = PinnedDomain.evaluatorRequiringPins(nil)
        }
        return evaluator.evaluate(trust, forHost: host)
    }
}
