//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// An unusual, hostile or faulty behavior of a server, worth reporting with any result.
///
/// Each has a stable ``code`` for programs, and a ``message`` and a ``remedy`` for a person.
public enum ProbeAnomaly: Sendable, Hashable {
    /// An answer was not TLS. The text is its beginning in printable characters.
    case notTLS(beginning: String)
    /// An answer broke the rules of TLS.
    case malformed(FlightError)
    /// An answer came so slowly that the time ran out. The number is that of its bytes.
    case slow(bytes: Int)
    /// The server chose a value that was not offered. The text names it.
    case choseUnoffered(String)
    /// The server accepted a suite and refused it later. Machines with different settings may share the address.
    case contradiction(String)
    /// The answers hardly come from a single machine. The text is the contradiction in one clause.
    case severalMachines(String)
    /// The server sent a warning alert and continued.
    case warningAlert(TLSAlertDescription)
    /// The server fails at offers of many suites and accepts the same suites in smaller offers.
    case intolerantOfManySuites
    /// The server fails at offers of TLS 1.3 and accepts offers of only older versions (RFC 8446 §D.2).
    case intolerantOfNewVersions
    /// The server fails at hellos of more than one segment, as with hybrid keys, and answers shorter ones.
    case intolerantOfLargeHellos(ConnectionFailure)
    /// The server fails at the hello of the client, and answers it without this part. `nil` if the part is not known.
    case failsAtHello(HelloPart?, ConnectionFailure)
    /// The server refuses TLS 1.3 from clients without a key share, instead of requesting one (RFC 8446 §4.2.8).
    case needsKeyShare
    /// The server answers only hellos without extensions.
    case intolerantOfExtensions
    /// The server closes or resets connections instead of sending an alert.
    case refusesSilently
    /// The server began to refuse connections during the probe.
    case limitsConnections
    /// The chain has more certificates than any path needs.
    case longChain(count: Int)
    /// The server keeps presenting different chains. Only the first few are kept.
    case manyChains
    /// The chain of a handshake could not be fetched, for this reason.
    case chainUnknown(ConnectionFailure)
    /// The server has no site with the sent name. It may answer anyway.
    case unrecognizedName
    /// The server presents different certificates in TLS 1.3 and in older versions.
    case chainDependsOnVersion
}

extension ProbeAnomaly {
    /// A short, stable name for programs.
    public var code: String { self.row.code }

    /// The behavior in one sentence.
    public var message: String { self.row.message }

    /// The remedy in one sentence.
    public var remedy: String { self.row.remedy }

    private var row: (code: String, message: String, remedy: String) {
        switch self {
        case .notTLS(let beginning):
            (
                "not-tls", "An answer was not TLS. It began “\(beginning)”.",
                "Check that nothing but TLS answers at the port."
            )
        case .malformed(let error): ("malformed", "An answer \(error.summary): \(error.message)", error.remedy)
        case .slow(let bytes):
            (
                "slow", "An answer came so slowly that time ran out after \(bytes) bytes.",
                "Look at the server's load, and at what lies before it."
            )
        case .choseUnoffered(let what):
            (
                "chose-unoffered", "The server agreed on something that was not offered: \(what).",
                "Update the server's TLS library."
            )
        case .contradiction(let what):
            (
                "contradiction", "The server agreed on something, and refused it later: \(what).",
                "Give all machines behind this address the same settings, or name one of them."
            )
        case .severalMachines(let what):
            (
                "several-machines", "More than one machine seems to answer at this address: \(what).",
                "Give all machines behind this address the same settings and certificates, and ask again by the standard plan."
            )
        case .warningAlert(let alert):
            (
                "warning-alert", "The server sent the warning \(alert) before it went on.",
                "Check the server's name and settings. Some clients stop at warnings."
            )
        case .limitsConnections:
            (
                "limits-connections", "The server began to refuse connections while it was asked.",
                "Ask again more slowly, or except this machine from the limit."
            )
        case .chainUnknown(let failure):
            ("chain-unknown", "A chain of certificates could not be fetched: \(failure.message)", failure.remedy)
        case .intolerantOfManySuites, .intolerantOfNewVersions, .intolerantOfLargeHellos, .failsAtHello, .needsKeyShare,
            .intolerantOfExtensions, .refusesSilently:
            self.intolerance
        case .longChain, .manyChains, .unrecognizedName, .chainDependsOnVersion: self.presentation
        }
    }

    private var intolerance: (code: String, message: String, remedy: String) {
        switch self {
        case .intolerantOfManySuites:
            (
                "intolerant-of-many-suites",
                "The server fails at offers of many cipher suites, and not at smaller ones.",
                "Update what answers: some clients offer many."
            )
        case .intolerantOfNewVersions:
            (
                "intolerant-of-new-versions",
                "The server fails at hellos that offer TLS 1.3, in place of choosing an older version.",
                "Update what answers: clients of today offer TLS 1.3 (RFC 8446 §D.2)."
            )
        case .intolerantOfLargeHellos(let failure):
            (
                "intolerant-of-large-hellos",
                "Hellos with a post-quantum key, of more than one segment, come to nothing, and shorter ones do not: "
                    + failure.message,
                "Update the server, or the firewall or load balancer before it, so that it reads hellos that come in pieces."
            )
        case .failsAtHello(let part?, let failure):
            (
                "fails-at-hello",
                "Hellos with the extension \(part.rawValue), as clients of today send them, come to nothing, and hellos without it "
                    + "do not: \(failure.message)",
                "Update the server's TLS library. A server ignores extensions that it does not know (RFC 8446 §4.2)."
            )
        case .failsAtHello(nil, let failure):
            (
                "fails-at-hello",
                "The hello of the client comes to nothing, and another hello with the same offer does not: \(failure.message)",
                "Update the server's TLS library, or the firewall or load balancer before it."
            )
        case .needsKeyShare:
            (
                "needs-key-share", "The server refuses TLS 1.3 without a key share in place of asking for one.",
                "Update the server's TLS library (RFC 8446 §4.2.8)."
            )
        case .intolerantOfExtensions:
            (
                "intolerant-of-extensions", "The server only answers hellos without extensions.",
                "Update the server's TLS library: every client of today sends extensions."
            )
        default:
            (
                "refuses-silently", "The server closes or resets connections where an alert is due.",
                "Look at firewalls before the server. Alerts would tell clients why."
            )
        }
    }

    private var presentation: (code: String, message: String, remedy: String) {
        switch self {
        case .longChain(let count):
            (
                "long-chain", "The server sends \(count) certificates, more than any path needs.",
                "Send the server's own and its intermediates, and no others."
            )
        case .manyChains:
            (
                "many-chains", "The server presents ever other certificates. Only the first chains are kept.",
                "Check what answers at this address: a server has one chain for each kind of key."
            )
        case .unrecognizedName:
            (
                "unrecognized-name", "The server knows no site of the name that was sent.",
                "Check the name, or configure a site of that name."
            )
        default:
            (
                "chain-depends-on-version", "The server shows different certificates to TLS 1.3 and to older versions.",
                "Check that both are meant to be there, and renew both."
            )
        }
    }
}

extension ProbeAnomaly {
    /// One anomaly of each kind, for lists of codes.
    package static let oneOfEach: [ProbeAnomaly] = [
        .notTLS(beginning: "SSH-2.0"), .malformed(.emptyRecord), .slow(bytes: 1), .choseUnoffered("a cipher suite"),
        .contradiction("a cipher suite"), .severalMachines("two certificates"),
        .warningAlert(TLSAlertDescription(rawValue: 112)), .intolerantOfManySuites, .intolerantOfNewVersions,
        .intolerantOfLargeHellos(.timedOut(.silent)), .failsAtHello(.statusRequest, .closed), .needsKeyShare,
        .intolerantOfExtensions, .refusesSilently,
        .limitsConnections, .longChain(count: 20), .manyChains, .chainUnknown(.closed), .unrecognizedName,
        .chainDependsOnVersion,
    ]
}
