//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser
import HTTPSession
import PinningDialects
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import Synchronization

/// The options for the requirements on servers: trust, pins and App Transport Security.
struct GetTrustOptions: ParsableArguments {
    @Option(
        name: .customLong("cacert"), parsing: .unconditional,
        help: ArgumentHelp("Trust the roots of this file and no others, as curl does.", valueName: "file"),
        completion: .file())
    var rootFile: String?

    @Option(
        name: .customLong("pinnedpubkey"), parsing: .unconditional,
        help: ArgumentHelp(
            "Refuse servers with another key than these: sha256//BASE64, several separated by ';'.",
            valueName: "pins"))
    var keys: String?

    @OptionGroup var pins: PinArguments

    @OptionGroup(title: "Fetching") var fetching: FetchArguments

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
            throw ValidationError("every server must be trusted. Name the root of a private one with --roots FILE")
        }
        if self.infoPlist == nil, let first = self.rules.given.first {
            throw ValidationError("\(first) is about App Transport Security. Add --ats Info.plist, or --ats default")
        }
        _ = try self.keyEvaluator()
    }

    /// Refuses roots that --cacert excludes.
    func check(_ common: TrustOptions) throws {
        guard self.rootFile != nil, common.namesRoots || common.anchorsOnly else { return }
        throw ValidationError("--cacert names the only roots. Give it alone, or --roots with --anchors-only")
    }

    func settings(_ common: TrustOptions) throws -> CommandTrust {
        var options = common
        if let rootFile {
            options.roots = [try RootSource(rootFile)]
            options.anchorsOnly = true
        }
        return try options.settings()
    }

    /// Returns the rules for every connection.
    ///
    /// - Parameters:
    ///   - common: The options for trust of all commands.
    ///   - connects: `true` if this machine connects to servers directly and not through a proxy.
    ///   - unpinned: Warns of hosts that the file of pins has none for. `nil` to let them pass without a word.
    func settings(
        _ common: TrustOptions, connects: Bool, unpinned: UnpinnedHosts? = nil
    ) throws -> ServerTrustSettings {
        let basis = try self.settings(common).trust
        var settings = ServerTrustSettings(trust: basis.rules, transportSecurity: try self.transportSecurity())
        settings.fetching = try self.fetching.settings(revocation: false, connects: connects)
        let identities = try self.identity.identities()
        guard identities.count <= 1 else {
            throw CommandError("get shows one certificate of the client. Give --cert or --p12")
        }
        settings.identity = identities.first
        Console.warn(ofKeyOf: identities.first)
        settings.evaluator = GetEvaluator(
            pins: try self.pins.pins(), requiresPins: self.pins.areRequired, unpinned: unpinned,
            keys: try self.keyEvaluator(), basis: basis)
        return settings
    }

    private func transportSecurity() throws -> TransportSecurity {
        self.infoPlist == nil ? .withoutAppTransportSecurity : .appTransportSecurity(try self.policy())
    }

    /// Returns the policy of the Info.plist, or the default policy if there is none.
    func policy() throws -> ATSPolicy {
        guard let infoPlist, infoPlist != "default" else {
            return ATSPolicy(ATSDictionary(), configuration: self.rules.configuration)
        }
        return try ATSPolicy(file: infoPlist, self.rules)
    }

    /// Returns an evaluator that compares the server's own key, as curl does.
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
        guard !pins.isEmpty else { throw ValidationError("--pinnedpubkey has no pin. Write sha256//BASE64") }
        return .pins(try PinSet([PinSet.Requirement(pins, scope: .leaf)]))
    }
}

/// The evaluator of one command: the trust rules and all given pins.
private struct GetEvaluator: ServerTrustEvaluating {
    let pins: PinsFile?
    let requiresPins: Bool
    let unpinned: UnpinnedHosts?
    let keys: ServerTrustEvaluator?
    let basis: VerdictBasis

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.evaluate(trust, forHost: host, port: nil)
    }

    func evaluate(_ trust: Trust, forHost host: String, port: Int?) -> ServerTrustDecision {
        self.known(self.evaluator(host, port: port).evaluate(trust, forHost: host), host)
    }

    func evaluate(
        _ trust: Trust, forHost host: String, port: Int?, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        let evaluator = self.evaluator(host, port: port)
        return self.known(try await evaluator.evaluate(trust, forHost: host, fetching: fetcher, options: options), host)
    }

    private func evaluator(_ host: String, port: Int?) -> ServerTrustEvaluator {
        let pinned = self.pinned(host, port: port)
        return self.keys.map { .composite([pinned, $0]) } ?? pinned
    }

    private func pinned(_ host: String, port: Int?) -> ServerTrustEvaluator {
        guard let pins else { return .default }
        do {
            let domain = try pins.domain(forHost: host, port: port)
            if self.requiresPins { return PinnedDomain.evaluatorRequiringPins(domain) }
            if domain == nil { self.unpinned?.warn(of: host) }
            return domain?.evaluator ?? .default
        } catch {
            // A host that cannot be looked up may have pins.
            return PinnedDomain.evaluatorRequiringPins(nil)
        }
    }

    private func known(_ decision: ServerTrustDecision, _ host: String) -> ServerTrustDecision {
        guard decision.isTrusted, let result = decision.result, self.basis.isOfUnknownWorth(result) else {
            return decision
        }
        return .refused(ServerTrustFailure(UnknownLogs(), forHost: host), result, pinning: decision.pinning)
    }
}

/// A warning about hosts that a file of pins has none for, once for each host.
final class UnpinnedHosts: Sendable {
    private let told = Mutex<Set<String>>([])

    func warn(of host: String) {
        guard self.told.withLock({ $0.insert(host).inserted }) else { return }
        Console.complain("--pins has no pins for \(host). To refuse such hosts, add --require-pins")
    }
}

/// The error for an evaluation that only a newer list of logs can decide, because the server's timestamps may or may not suffice.
struct UnknownLogs: Error, CustomStringConvertible {
    let description =
        "Only a newer list of logs can tell whether the certificate's timestamps suffice. "
        + "`servertrust apple-data update --from \(AppleDataUpdateCommand.repository)` fetches one."
}

extension HTTPSessionError {
    /// `true` if a server was refused only because newer data are needed to decide.
    var isForWantOfLogs: Bool {
        guard case .refused(let refusal) = self.kind, let failure = refusal.cause as? ServerTrustFailure,
            case .custom(let error) = failure.reason
        else { return false }
        return error is UnknownLogs
    }
}
