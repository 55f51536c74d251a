//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
package import TLSProbe
import TLSWire

/// The facts about a server, in JSON, without a verdict.
///
/// An unknown fact is never absent. It is `unknown` with the failure, or `null` if it was not tested.
package struct JSONServerFacts: Codable, Hashable, Sendable {
    let plan: String
    let serverName: String?
    let address: String?
    let handshake: JSONOutcome?
    let versions: [JSONVersionFact]
    let cipherSuites: [JSONSuites]
    let groups: [JSONGroups]
    let selections: [JSONSelection]
    let unclearOffers: [String]
    let chains: [JSONChainFact]
    let features: JSONFeatures
    let anomalies: [JSONNote]
    let failure: JSONNote?
    let effort: JSONEffort

    package init(_ facts: ServerFacts) {
        self.plan = facts.plan.rawValue
        self.serverName = facts.serverName.map(DisplayText.text)
        self.address = facts.address
        self.handshake = facts.handshake.map(JSONOutcome.init)
        self.versions = facts.versions.map(JSONVersionFact.init)
        self.cipherSuites = facts.cipherSuites.map(JSONSuites.init)
        self.groups = facts.groups.map(JSONGroups.init)
        self.selections = facts.selections.map(JSONSelection.init)
        self.unclearOffers = facts.unclearOffers.map(\.rawValue)
        self.chains = facts.chains.map(JSONChainFact.init)
        self.features = JSONFeatures(facts.features)
        self.anomalies = facts.anomalies.map { JSONNote($0.code, $0.message, remedy: $0.remedy) }
        self.failure = facts.failure.map(JSONNote.init)
        self.effort = JSONEffort(facts.effort)
    }
}

/// A code for programs with a message and a remedy.
struct JSONNote: Codable, Hashable, Sendable {
    let code: String
    let message: String
    let remedy: String

    init(_ code: String, _ message: String, remedy: String) {
        self.code = code
        self.message = DisplayText.text(message)
        self.remedy = DisplayText.text(remedy)
    }

    init(_ failure: ConnectionFailure) { self.init(failure.code, failure.message, remedy: failure.remedy) }
    init(_ refusal: ProbeRefusal) { self.init(refusal.code, refusal.message, remedy: refusal.remedy) }
}

/// An outcome and its failure.
struct JSONOutcome: Codable, Hashable, Sendable {
    let outcome: String
    let failure: JSONNote?

    init(_ fact: HandshakeFact) {
        switch fact {
        case .completed: (self.outcome, self.failure) = ("completed", nil)
        case .unproven(let failure): (self.outcome, self.failure) = ("unproven", JSONNote(failure))
        case .failed(let failure): (self.outcome, self.failure) = ("failed", JSONNote(failure))
        }
    }
}

/// The answer of a server to one version of TLS.
struct JSONVersionFact: Codable, Hashable, Sendable {
    let version: String
    let support: String
    /// The form of the refusal, or the reason for an unknown answer.
    let reason: JSONNote?

    init(_ fact: VersionFact) {
        self.version = fact.version.description
        switch fact.support {
        case .supported: (self.support, self.reason) = ("supported", nil)
        case .refused(let refusal): (self.support, self.reason) = ("refused", JSONNote(refusal))
        case .unknown(let failure): (self.support, self.reason) = ("unknown", JSONNote(failure))
        }
    }
}

/// A registered name and its number.
struct JSONParameter: Codable, Hashable, Sendable {
    let name: String
    let number: String

    init(_ suite: CipherSuite) { (self.name, self.number) = (suite.description, suite.hexadecimal) }
    init(_ group: NamedGroup) { (self.name, self.number) = (group.description, group.hexadecimal) }
    init(_ scheme: SignatureScheme) { (self.name, self.number) = (scheme.description, scheme.hexadecimal) }
}

/// The cipher suites of one version.
struct JSONSuites: Codable, Hashable, Sendable {
    let version: String
    let suites: [JSONParameter]
    let order: String
    let isComplete: Bool
    /// The version with the same suites, as a few samples indicate.
    let inferredFrom: String?
    let failure: JSONNote?

    init(_ facts: CipherSuiteFacts) {
        self.version = facts.version.description
        self.suites = facts.suites.map(JSONParameter.init)
        self.order = facts.order.rawValue
        self.isComplete = facts.isComplete
        self.inferredFrom = facts.inferredFrom?.description
        self.failure = facts.failure.map(JSONNote.init)
    }
}

/// The groups of one version.
struct JSONGroups: Codable, Hashable, Sendable {
    let version: String
    let groups: [JSONParameter]
    let primeSizes: [Int]
    let isComplete: Bool
    let failure: JSONNote?

    init(_ facts: GroupFacts) {
        self.version = facts.version.description
        self.groups = facts.groups.map(JSONParameter.init)
        self.primeSizes = facts.primeSizes
        self.isComplete = facts.isComplete
        self.failure = facts.failure.map(JSONNote.init)
    }
}

/// The choice of a server from one offer.
struct JSONSelection: Codable, Hashable, Sendable {
    let offer: String
    let version: String
    let cipherSuite: JSONParameter
    let group: JSONParameter?
    let signatureScheme: JSONParameter?
    /// `yes`, `no` or `unknown`. Absent in TLS 1.3, which always has it.
    let extendedMasterSecret: String?
    let applicationProtocol: String?
    let chain: Int?
    let isComplete: Bool

    init(_ selection: ServerSelection) {
        self.offer = selection.offer.rawValue
        self.version = selection.version.description
        self.cipherSuite = JSONParameter(selection.cipherSuite)
        self.group = selection.group.map(JSONParameter.init)
        self.signatureScheme = selection.signatureScheme.map(JSONParameter.init)
        self.extendedMasterSecret =
            selection.version >= .tls13 ? nil : JSONFeatures.answer(selection.usesExtendedMasterSecret)
        self.applicationProtocol = selection.applicationProtocol.map(DisplayText.text)
        self.chain = selection.chain
        self.isComplete = selection.isComplete
    }
}

/// The features of a server: `yes`, `no`, or `unknown` if a feature was not tested or had no clear answer.
struct JSONFeatures: Codable, Hashable, Sendable {
    /// The answers by the names of the features.
    let answers: [String: String]
    let applicationProtocols: [String]?
    let signatureSchemes: [JSONParameter]?
    let asksForClientCertificate: String
    /// The results by the names of the tests.
    let tolerance: [String: String]

    init(_ features: FeatureFacts) {
        self.answers = Dictionary(
            uniqueKeysWithValues: FeatureName.allCases.map { ($0.rawValue, Self.answer(features[keyPath: $0.path])) })
        self.applicationProtocols = features.applicationProtocols?.map(DisplayText.text)
        self.signatureSchemes = features.signatureSchemes?.map(JSONParameter.init)
        self.asksForClientCertificate = features.clientCertificate == nil ? "unknown" : "yes"
        self.tolerance = Dictionary(features.tolerance.map { ($0.trial.rawValue, Self.answer($0.isTolerated)) }) { $1 }
    }

    static func answer(_ value: Bool?) -> String { value.map { $0 ? "yes" : "no" } ?? "unknown" }
}

/// The cost of the tests.
package struct JSONEffort: Codable, Hashable, Sendable {
    let connections: Int
    let retries: Int
    package let milliseconds: Int
    let isDegraded: Bool

    init(_ effort: ProbeEffort) {
        let (seconds, attoseconds) = effort.duration.components
        self.connections = effort.connections
        self.retries = effort.retries
        self.milliseconds = Int(clamping: seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        self.isDegraded = effort.isDegraded
    }
}
