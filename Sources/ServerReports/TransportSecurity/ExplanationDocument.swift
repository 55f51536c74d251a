//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
import ConfigurationDocuments
import TLSWire

/// The decisions of App Transport Security about loads, without a connection, as text or as a document.
package struct ExplanationReport: DocumentReport {
    private let loads: [ExplainedLoad]
    private let file: String
    private let configuration: ATSPolicy.Configuration
    private let client: ATSClient

    /// Creates a report on loads.
    ///
    /// - Parameters:
    ///   - loads: The loads.
    ///   - file: The app's Info.plist.
    ///   - configuration: The system and the strictness of the policy.
    ///   - client: The part of the system that loads.
    package init(
        _ loads: [ExplainedLoad], by file: String, configuration: ATSPolicy.Configuration, client: ATSClient
    ) {
        self.loads = loads
        self.file = file
        self.configuration = configuration
        self.client = client
    }

    package var verdict: ReportVerdict { .worst(of: self.loads.map(\.verdict)) }

    package var document: some Encodable { ExplanationDocument(self.loads, self.configuration, client: self.client) }

    package func text(_ style: TextStyle) -> String {
        let text = ExplanationText(style, file: self.file, self.configuration, self.client)
        return self.loads.map(text.text).joined(separator: "\n")
    }
}

/// The output of `servertrust ats explain --format json`.
private struct ExplanationDocument: Encodable {
    private let format = "servertrust.ats-explain/1"
    private let system: String
    private let strictness: String
    private let client: String
    private let loads: [Load]

    init(_ loads: [ExplainedLoad], _ configuration: ATSPolicy.Configuration, client: ATSClient) {
        self.system = "\(configuration.system)"
        self.strictness = configuration.strictness.rawValue
        self.client = client.rawValue
        self.loads = loads.map(Load.init)
    }

    private struct Load: Encodable {
        private let url: String
        private let host: String
        private let isRefused: Bool
        private let isDecidedByLocality: Bool
        private let requirements: JSONRequirements
        private let decisions: [JSONDecision]
        private let ignoredKeys: [Key]

        init(_ load: ExplainedLoad) {
            self.url = DisplayText.text(load.url)
            self.host = DisplayText.text(load.destination.host)
            self.isDecidedByLocality = load.isDecidedByLocality
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

/// A decision about one part of the requirements, with the key that determined it.
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

/// The requirements for a connection, in JSON.
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
