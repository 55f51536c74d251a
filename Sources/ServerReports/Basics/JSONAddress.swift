//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import TLSProbe
import TLSWire

/// The answer of one address of a name.
package struct JSONAddress: Codable, Sendable, Hashable {
    private(set) var address: String
    private var outcomes: [String: String]
    private var versions: [String]
    private var error: String?
    /// The certificate that it presents to a client of today; absent where none was presented.
    private(set) var certificate: ScanCertificate?

    init(_ server: DiagnosedServer) {
        self.address = server.address ?? ""
        self.outcomes = Dictionary(
            uniqueKeysWithValues: server.diagnosis.verdicts.map { ($0.subject.rawValue, $0.outcome.rawValue) })
        self.versions = server.facts.supportedVersions.map(\.description)
        self.error = server.facts.speaksTLS ? nil : server.facts.failure?.code
        self.certificate = ScanCertificate(server)
    }

    /// The same answer with escaped control characters.
    var printable: JSONAddress {
        var copy = self
        copy.address = DisplayText.text(self.address)
        let outcomes = self.outcomes.map { (DisplayText.text($0), DisplayText.text($1)) }
        copy.outcomes = Dictionary(outcomes, uniquingKeysWith: { first, _ in first })
        copy.versions = self.versions.map(DisplayText.text)
        copy.error = self.error.map(DisplayText.text)
        copy.certificate = self.certificate?.printable
        return copy
    }
}

/// A difference between the addresses of a name.
package struct JSONAddressContradiction: Codable, Sendable, Hashable {
    private var code: String
    private var message: String
    private var remedy: String
    private var answers: [Answer]

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

    /// The same difference with escaped control characters.
    var printable: JSONAddressContradiction {
        var copy = self
        copy.code = DisplayText.text(self.code)
        copy.message = DisplayText.text(self.message)
        copy.remedy = DisplayText.text(self.remedy)
        copy.answers = self.answers.map {
            Answer(value: DisplayText.text($0.value), addresses: $0.addresses.map(DisplayText.text))
        }
        return copy
    }
}
