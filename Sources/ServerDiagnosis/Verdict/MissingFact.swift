//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
public import TLSWire

/// A missing fact about a server that decides a verdict or a test.
///
/// Show ``message`` and ``remedy`` to people, and use ``code`` in programs.
public enum MissingFact: Sendable, Hashable {
    /// There was no server to probe, or it gave no clear answer to any probe.
    case server(ConnectionFailure)
    /// The support for a version is unknown. Without a failure it was not probed.
    case version(TLSProtocolVersion, ConnectionFailure?)
    /// Further suites of a version may be supported. Without a failure they were not probed.
    case cipherSuites(TLSProtocolVersion, ConnectionFailure?)
    /// The ClientHello of Apple's systems, with its post-quantum key, gets no answer, although shorter ones do.
    case largeHello(ConnectionFailure)
    /// The server gave no clear answer to TLS 1.2 in the offer of FCP_v2.1.
    case fcp
    /// The support for the extended master secret is unknown.
    case extendedMasterSecret
    /// The trust in the chain is unknown. Without a failure, the chain was presented and cannot be judged, or was not presented.
    case chain(ConnectionFailure?)
    /// The server has not proven that it holds the key of its chain.
    case keyProof
    /// The signatures of transparency logs may not suffice, and only a newer list of logs can determine it.
    case transparency
    /// A load failed in its handshake, against all facts of the probe. The text is the reason.
    case load(String)
    /// The target of a redirect is unknown. The text is the result of following it.
    case redirect(String)

    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .server: "unknown-server"
        case .version: "unknown-version"
        case .cipherSuites: "unknown-cipher-suites"
        case .largeHello: "unknown-large-hello"
        case .fcp: "unknown-fcp"
        case .extendedMasterSecret: "unknown-extended-master-secret"
        case .chain: "unknown-chain"
        case .keyProof: "unknown-key-proof"
        case .transparency: "unknown-transparency"
        case .load: "unknown-load"
        case .redirect: "unknown-redirect"
        }
    }

    /// The failure of the probe, or `nil` if the fact was not probed.
    public var failure: ConnectionFailure? {
        switch self {
        case .server(let failure), .largeHello(let failure): failure
        case .version(_, let failure), .cipherSuites(_, let failure), .chain(let failure): failure
        case .fcp, .extendedMasterSecret, .keyProof, .transparency, .load, .redirect: nil
        }
    }

    /// The missing fact and the reason, in one or two sentences.
    public var message: String {
        let reason = self.failure.map { " \($0.message)" } ?? ""
        return switch self {
        case .server(let failure): failure.message
        case .version(let version, _): "Whether the server speaks \(version) is not known.\(reason)"
        case .cipherSuites(let version, _): "Which suites of \(version) the server takes is not known in full.\(reason)"
        case .largeHello:
            "Hellos with a post-quantum key, as Apple's systems send them, get no answer, and shorter ones do: they may be "
                + "lost on the way to the server."
        case .fcp: "The server gave no clear answer to TLS 1.2 as FCP_v2.1 offers it, without SHA-1."
        case .extendedMasterSecret: "Whether the server has the extended master secret is not known."
        case .keyProof:
            "The server presents a chain and has not proven that it holds the key. Any server can present this chain."
        case .transparency:
            "Whether enough logs have signed the certificate is not known: the list at hand does not know its logs."
        case .chain: "What the chain is worth is not known.\(reason)"
        case .load(let reason):
            "A load failed in its handshake, where the server accepts the offer: \(Self.sentence(reason))"
        case .redirect(let reason):
            "A load is redirected, and what comes of it is not known: \(Self.sentence(reason))"
        }
    }

    /// Returns the reason with a period, which the reasons of other libraries may lack.
    private static func sentence(_ reason: String) -> String { reason + (reason.hasSuffix(".") ? "" : ".") }

    /// The remedy, in one sentence.
    public var remedy: String {
        if case .redirect = self { return "Diagnose the server that it is redirected to." }
        if case .load = self {
            return "Look at what stands before the server, and whether machines of other settings share the address."
        }
        if case .keyProof = self {
            return "Look at what answers there, and whether machines of different certificates share the address."
        }
        if case .transparency = self {
            return "Update Apple's data."
        }
        if case .largeHello = self {
            return "Update the server, or what stands before it, so that it reads a hello that comes in two segments."
        }
        return self.failure?.remedy ?? "Ask the server for more: with the plan standard, or with more time."
    }
}

extension MissingFact {
    package static let oneOfEach: [MissingFact] = [
        .server(.closed), .version(.tls13, nil), .cipherSuites(.tls12, nil), .largeHello(.timedOut(.silent)), .fcp,
        .extendedMasterSecret, .chain(nil), .keyProof, .transparency, .load("its reason follows."),
        .redirect("its reason follows."),
    ]
}
