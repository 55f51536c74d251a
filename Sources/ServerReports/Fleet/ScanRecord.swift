//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The result of a scan for one host: a line of the results file. It omits the facts, which would be too large to keep.
package struct ScanRecord: Codable, Sendable {
    /// The kind and the version of the line.
    package static let format = "servertrust.scan/1"

    /// The line of the list, from 1.
    package var line: Int
    /// The host, or `nil` if the line has no valid host.
    package var host: String?
    package var port: Int?
    package var connectTo: String?
    package var sni: String?
    package var startTLS: String?
    package var id: ScanIdentifier?
    /// The text of the line, if it has no valid host.
    package var text: String?
    /// The date of the test.
    package var date: String
    package var plan: String?
    package var address: String?
    package var outcome: Outcomes
    /// The codes of all faults and missing facts, the worst first.
    package var reasons: [String] = []
    /// The faults and missing facts in words.
    package var findings: [ScanFinding] = []
    /// The supported versions of TLS, the newest first.
    package var versions: [String] = []
    package var cipherSuites: [String] = []
    package var groups: [String] = []
    /// True if it agrees on keys with ML-KEM, which a quantum computer does not break; absent where it is not known.
    package var postQuantum: Bool?
    /// The certificate that the server presents to a current client.
    package var certificate: ScanCertificate?
    /// The digests of the chain that the server presents to a current client.
    package var chain: [String] = []
    package var connections = 0
    package var milliseconds = 0
    package var isDegraded = false
    /// The publication or download date of Apple's data, which determine the public roots and logs.
    package var appleData: String?
    /// Notes that do not affect the answers, one or two sentences each, or `nil` if there are none.
    package var notes: [String]?
    /// The answer of each address of the name, or `nil` if only one was tested.
    package var addresses: [JSONAddress]?
    /// The differences between the addresses, or `nil` if only one was tested.
    package var addressContradictions: [JSONAddressContradiction]?
    /// The reason why the line could not be used.
    package var error: ScanFinding?
    /// The last known answer to each question, even if it is unknown now. Kept only between the rounds of a watch.
    package var lastAnswers: Outcomes?

    package init(line: Int, date: String, outcome: Outcomes) {
        self.line = line
        self.date = date
        self.outcome = outcome
    }

    /// The answers: `passed`, `failed` or `unknown`.
    package struct Outcomes: Codable, Sendable, Hashable {
        package var ats = "unknown"
        /// The answer for FCP_v2.1, or `nil` if the release does not have this question.
        package var fcp: String?
        package var trust = "unknown"
        /// The answer for the app, or `nil` if no Info.plist was named.
        package var plist: String?
        /// The answer for trust and pins together, or `nil` if the host has no pins or no pins were named.
        package var pins: String?

        private enum Word: String, Decodable {
            case passed, failed, unknown
        }

        /// Decodes the answers and refuses other words. An unknown word would count neither as passed nor as failed, so that a
        /// list without any passed answer could pass.
        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func word(_ key: CodingKeys) throws -> String? {
                try container.decodeIfPresent(Word.self, forKey: key)?.rawValue
            }
            self.ats = try container.decode(Word.self, forKey: .ats).rawValue
            self.trust = try container.decode(Word.self, forKey: .trust).rawValue
            self.fcp = try word(.fcp)
            self.plist = try word(.plist)
            self.pins = try word(.pins)
        }

        package init(
            ats: String = "unknown", fcp: String? = nil, trust: String = "unknown", plist: String? = nil,
            pins: String? = nil
        ) {
            self.ats = ats
            self.fcp = fcp
            self.trust = trust
            self.plist = plist
            self.pins = pins
        }

        /// Returns the answer to a question, or `nil` if it was not asked.
        package func answer(_ criterion: ScanCriterion) -> String? {
            switch criterion {
            case .ats: self.ats
            case .fcp: self.fcp
            case .trust: self.trust
            case .plist: self.plist
            case .pins: self.pins
            case .expiry, .never: nil
            }
        }
    }
}

/// A fault of a host, in words.
package struct ScanFinding: Codable, Sendable, Hashable {
    package let code: String
    package let message: String
    var remedy: String?
    /// The section of the broken rule, for rules about certificates.
    var rule: String?
    package var questions: [String]?

    package init(code: String, message: String, remedy: String? = nil, questions: [String]? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.questions = questions
    }
}

extension ScanRecord {
    /// The host in the usual notation, escaped, or the text of the line if it has no valid host.
    package var name: String {
        guard let host else { return DisplayText.text(self.text ?? "line \(self.line)") }
        let shown = DisplayText.text(host)
        return (shown.contains(":") ? "[\(shown)]" : shown) + ":\(self.port ?? 443)"
    }

    /// The identity of the host among all hosts of a list.
    package var identity: TargetIdentity {
        guard let host else { return TargetIdentity(["!", self.text ?? ""]) }
        // A trailing dot names the same host and is not sent (RFC 6066 §3).
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return TargetIdentity([
            "", name.lowercased(), "\(self.port ?? 443)", self.connectTo ?? "", self.sni.map { "=\($0)" } ?? "",
            self.startTLS ?? "",
        ])
    }

    /// The certificates that were presented, each with its address; the address is `nil` behind a proxy.
    package var presentedCertificates: [(address: String?, certificate: ScanCertificate)] {
        let all = (self.addresses ?? []).compactMap { address in address.certificate.map { (address.address, $0) } }
        return all.isEmpty ? self.certificate.map { [(self.address, $0)] } ?? [] : all
    }

    /// Returns the answer to the decisive question.
    package func outcome(_ criterion: ScanCriterion) -> String? {
        criterion == .expiry ? self.expiry : self.outcome.answer(criterion)
    }

    /// The answer for the ends of all certificates. An address that presented none leaves it open.
    private var expiry: String {
        let certificates = self.presentedCertificates
        if certificates.contains(where: { $0.certificate.expiry != nil }) { return "failed" }
        let isComplete = !certificates.isEmpty && certificates.count >= (self.addresses?.count ?? 0)
        return isComplete ? "passed" : "unknown"
    }
}

/// Two hash values that identify a target. The hashes are keyed, so that the author of a list cannot create collisions.
package struct TargetIdentity: Hashable, Sendable {
    private let first: Int
    private let second: Int

    init(_ parts: [String]) {
        self.first = Self.hash(1, parts)
        self.second = Self.hash(2, parts)
    }

    private static func hash(_ word: Int, _ parts: [String]) -> Int {
        var hasher = Hasher()
        hasher.combine(word)
        hasher.combine(parts)
        return hasher.finalize()
    }
}
