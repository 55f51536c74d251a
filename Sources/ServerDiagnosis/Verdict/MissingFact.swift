//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
public import TLSWire

/// A fact about a server that is not known, and decides a verdict or a test.
public enum MissingFact: Sendable, Hashable {
    /// There was no server to ask, or it gave no clear answer at all.
    case server(ConnectionFailure)
    /// Whether it speaks a version; without a failure it was not asked.
    case version(TLSProtocolVersion, ConnectionFailure?)
    /// Whether it takes more suites of a version; without a failure it was not asked.
    case cipherSuites(TLSProtocolVersion, ConnectionFailure?)
    /// Whether it takes hellos of Apple's systems, which bring a post-quantum key: they get no answer, and shorter ones do.
    case largeHello(ConnectionFailure)
    /// Whether it takes TLS 1.2 as FCP_v2.1 offers it.
    case fcp
    /// Whether it binds keys to the handshake.
    case extendedMasterSecret
    /// What its chain is worth; without a failure, it was seen and cannot be judged, or was not seen.
    case chain(ConnectionFailure?)
    /// Whether the server holds the key of the chain that it presents.
    case keyProof
    /// Whether enough logs of certificate transparency have signed: only a newer list of logs can tell.
    case transparency
    /// Why a load failed in its handshake, where all that was asked before says that it should not; the text says how.
    case load(String)
    /// Where a redirect leads; the text says what came of following it.
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

    /// Why it is not known; `nil` where it was not asked.
    public var failure: ConnectionFailure? {
        switch self {
        case .server(let failure), .largeHello(let failure): failure
        case .version(_, let failure), .cipherSuites(_, let failure), .chain(let failure): failure
        case .fcp, .extendedMasterSecret, .keyProof, .transparency, .load, .redirect: nil
        }
    }

    /// What is not known, and why, in one or two sentences.
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

    /// A reason of a library below may lack its period.
    private static func sentence(_ reason: String) -> String { reason + (reason.hasSuffix(".") ? "" : ".") }

    /// What to do about it, in one sentence.
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
    /// One of each, for lists of codes.
    package static let oneOfEach: [MissingFact] = [
        .server(.closed), .version(.tls13, nil), .cipherSuites(.tls12, nil), .largeHello(.timedOut(.silent)), .fcp,
        .extendedMasterSecret, .chain(nil), .keyProof, .transparency, .load("its reason follows."),
        .redirect("its reason follows."),
    ]
}
