//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerDiagnosisNIO
import TLSProbe

/// What one address of a name answered.
package struct JSONAddress: Codable, Sendable, Hashable {
    private let address: String
    private let outcomes: [String: String]
    private let versions: [String]
    private let error: String?

    init(_ server: DiagnosedServer) {
        self.address = server.address ?? ""
        self.outcomes = Dictionary(
            uniqueKeysWithValues: server.diagnosis.verdicts.map { ($0.subject.rawValue, $0.outcome.rawValue) })
        self.versions = server.facts.supportedVersions.map(\.description)
        self.error = server.facts.speaksTLS ? nil : server.facts.failure?.code
    }
}

/// Something in which the addresses of a name differ.
package struct JSONAddressContradiction: Codable, Sendable, Hashable {
    private let code: String
    private let message: String
    private let remedy: String
    private let answers: [Answer]

    private struct Answer: Codable, Sendable, Hashable {
        let value: String
        let addresses: [String]
    }

    init(_ contradiction: AddressContradiction) {
        self.code = contradiction.code
        self.message = DisplayText.text(contradiction.message)
        self.remedy = contradiction.remedy
        self.answers = contradiction.answers.map {
            Answer(value: DisplayText.text($0.value), addresses: $0.addresses)
        }
    }
}
