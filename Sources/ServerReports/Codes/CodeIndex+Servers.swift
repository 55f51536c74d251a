//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSWire

// MARK: - Codes about servers

extension CodeIndex {
    /// The codes about a server: missing facts, observations and recommended settings.
    static let servers: [ExplainedCode] =
        MissingFact.oneOfEach.map { ExplainedCode(.missing, $0.code, sentence: $0.message, remedy: $0.remedy) }
        + ConnectionFailure.oneOfEach.map { ExplainedCode(.missing, $0.code, sentence: $0.message, remedy: $0.remedy) }
        + ServerAdvice.Kind.allCases.map(Self.setting) + Self.observations
        + ServerTrustFailure.oneOfEach.map {
            ExplainedCode(.pins, $0.code, sentence: $0.message, remedy: $0.remedy)
        }

    private static func setting(_ kind: ServerAdvice.Kind) -> ExplainedCode {
        ExplainedCode(
            kind: .setting, id: kind.rawValue, title: kind.title, sentence: kind.fault,
            remedies: [.init("\(kind.title). Diagnose the server for the settings to write.")])
    }

    private static let observations: [ExplainedCode] =
        ProbeAnomaly.oneOfEach.map { ExplainedCode(.observation, $0.code, sentence: $0.message, remedy: $0.remedy) }
        + FlightError.oneOfEach.map { ExplainedCode(.observation, $0.code, sentence: $0.message, remedy: $0.remedy) }
        + ProbeRefusal.oneOfEach.map { ExplainedCode(.observation, $0.code, sentence: $0.message, remedy: $0.remedy) }
        + HandshakeError.oneOfEach.map {
            ExplainedCode(
                .observation, $0.code, sentence: $0.message,
                remedy: "Look into the server's log for this connection, and update the server's TLS library.")
        }
        + AddressContradiction.Kind.allCases.map { kind in
            ExplainedCode(
                .observation, kind.code, sentence: "The addresses of a name differ in \(kind.subject).",
                remedy: kind.remedy)
        } + [
            ExplainedCode(
                .observation, "failed", sentence: "The server does not meet the requirements asked about.",
                remedy: "The details have the reason, with a code of its own."),
            ExplainedCode(
                .observation, "unknown", sentence: "It is unknown if the server meets the requirements asked about.",
                remedy: "The report lists each missing fact with its own code."),
        ]

    // MARK: Errors of connections

    /// The errors of connections that are no `ConnectionFailure`.
    static let connectionErrors: [ExplainedCode] = [
        ("connection-failed", "There is no connection to the server.", "Try again."),
        (
            "malformed-certificate", "The certificate that the server presents as its own cannot be read.",
            "Have the certificate issued again. Show the file to see the fault."
        ),
    ].map { id, sentence, remedy in ExplainedCode(.connection, id, sentence: sentence, remedy: remedy) }
}

extension AddressContradiction.Kind {
    /// The differing property in a few words.
    fileprivate var subject: String {
        switch self {
        case .verdict: "the answer to a question"
        case .certificate: "their certificate"
        case .versions: "their versions of TLS"
        case .connection: "whether there is a connection"
        }
    }
}
