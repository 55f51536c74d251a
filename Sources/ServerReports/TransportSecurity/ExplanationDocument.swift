//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
import ConfigurationDocuments
import TLSWire

/// `ats explain` in JSON.
package struct ExplanationDocument: Encodable {
    private let format = "servertrust.ats-explain/1"
    private let system: String
    private let strictness: String
    private let client: String
    private let loads: [Load]

    package init(_ loads: [ExplainedLoad], _ configuration: ATSPolicy.Configuration, client: ATSClient) {
        self.system = "\(configuration.system)"
        self.strictness = configuration.strictness.rawValue
        self.client = client.rawValue
        self.loads = loads.map(Load.init)
    }

    private struct Load: Encodable {
        private let url: String
        private let host: String
        private let isRefused: Bool
        private let requirements: JSONRequirements
        private let decisions: [JSONDecision]
        private let ignoredKeys: [Key]

        init(_ load: ExplainedLoad) {
            self.url = DisplayText.text(load.url)
            self.host = DisplayText.text(load.destination.host)
            self.isRefused = load.isRefused
            self.requirements = JSONRequirements(load.explanation.requirements)
            self.decisions = load.explanation.decisions.map(JSONDecision.init)
            self.ignoredKeys = load.explanation.ignoredKeys.map(Key.init)
        }
    }

    private struct Key: Encodable {
        private let key: [String]
        private let line: Int?
        private let column: Int?
        private let reason: String

        init(_ key: ATSExplanation.IgnoredKey) {
            self.key = key.path.map(DisplayText.text)
            self.line = key.position?.line
            self.column = key.position?.column
            self.reason = DisplayText.text(key.reason)
        }
    }
}

/// What was decided of one part, and by which key.
struct JSONDecision: Encodable {
    private let part: String
    private let value: String
    private let key: [String]
    private let line: Int?
    private let reason: String

    init(_ decision: ATSExplanation.Decision) {
        self.part = decision.part.rawValue
        self.value = decision.value
        self.key = decision.path.map(DisplayText.text)
        self.line = decision.position?.line
        self.reason = DisplayText.text(decision.reason)
    }
}

/// What is asked of a connection.
struct JSONRequirements: Encodable {
    private let requiresTLS: Bool
    private let isEnforced: Bool
    private let minimumTLSVersion: String?
    private let cipherSuiteGroup: String?
    private let cipherSuites: [String]
    private let requiresForwardSecrecy: Bool?
    private let requiresExtendedMasterSecret: Bool
    private let minimumRSAKeySize: Int?
    private let minimumECKeySize: Int?
    private let requiresSHA256: Bool
    private let leafPins: Int?
    private let authorityPins: Int?
    private let exception: String?

    init(_ requirements: ATSRequirements) {
        self.requiresTLS = requirements.requiresTLS
        self.isEnforced = requirements.isEnforced
        self.minimumTLSVersion = requirements.effectiveMinimumVersion?.description
        self.cipherSuiteGroup = requirements.cipherSuiteGroup?.rawValue
        self.cipherSuites = requirements.cipherSuites.map(\.description)
        self.requiresForwardSecrecy = requirements.requiresForwardSecrecy
        self.requiresExtendedMasterSecret = requirements.requiresExtendedMasterSecret
        self.minimumRSAKeySize = requirements.minimumRSAKeySize
        self.minimumECKeySize = requirements.minimumECKeySize
        self.requiresSHA256 = requirements.requiresSHA256
        self.leafPins = requirements.pins?.leaf?.count
        self.authorityPins = requirements.pins?.authorities?.count
        self.exception = requirements.exception.map { DisplayText.text($0.name) }
    }
}
