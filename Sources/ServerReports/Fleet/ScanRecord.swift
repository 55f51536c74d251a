//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a scan says of one host: a line of its results without the facts, which are too many to keep.
package struct ScanRecord: Codable, Sendable {
    /// The kind of line, and its version.
    package static let format = "servertrust.scan/1"

    /// The line of the list, from 1.
    package var line: Int
    /// The host; absent where the line names none.
    package var host: String?
    package var port: Int?
    package var connectTo: String?
    package var sni: String?
    package var startTLS: String?
    /// What the list calls it by.
    package var id: ScanIdentifier?
    /// The line as it was written, where it names no host.
    package var text: String?
    /// When it was asked.
    package var date: String
    package var plan: String?
    package var address: String?
    package var outcome: Outcomes
    /// The codes of everything that speaks against the host, or is not known, the worst first.
    package var reasons: [String] = []
    /// The same in words.
    package var findings: [ScanFinding] = []
    /// What it speaks, the newest version first.
    package var versions: [String] = []
    package var cipherSuites: [String] = []
    package var groups: [String] = []
    /// The certificate that a client of today is shown.
    package var certificate: ScanCertificate?
    /// The digests of that chain.
    package var chain: [String] = []
    package var connections = 0
    package var milliseconds = 0
    package var isDegraded = false
    /// When Apple's data were published or fetched, which say which roots and logs are public.
    package var appleData: String?
    /// What is to be known besides the answers, each in a sentence or two; absent where there is nothing.
    package var notes: [String]?
    /// What each address of the name answered; absent where one was asked.
    package var addresses: [JSONAddress]?
    /// In what those differ; absent where one was asked.
    package var addressContradictions: [JSONAddressContradiction]?
    /// Why the line could not be used.
    package var error: ScanFinding?
    /// What was known last of each question, also where it is not known now. Kept between the rounds of a watch only.
    package var lastAnswers: Outcomes?

    package init(line: Int, date: String, outcome: Outcomes) {
        self.line = line
        self.date = date
        self.outcome = outcome
    }

    /// The answers: `passed`, `failed` or `unknown`.
    package struct Outcomes: Codable, Sendable, Hashable {
        package var ats = "unknown"
        /// Absent where the release that is asked about does not know the question.
        package var fcp: String?
        package var trust = "unknown"
        /// Whether an app gets through; absent where no Info.plist was named.
        package var plist: String?
        /// Whether the host is trusted and has one of its pins; absent where it has no pins, or no pins were named.
        package var pins: String?

        private enum Word: String, Decodable {
            case passed, failed, unknown
        }

        /// Another word would count as neither, so that a list of results without any that passed would pass.
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
    }
}

/// Something that speaks against a host, in words.
package struct ScanFinding: Codable, Sendable, Hashable {
    package let code: String
    package let message: String
    var remedy: String?
    /// The section of the rule that is broken, where it is one about certificates.
    var rule: String?
    /// The questions that it is about.
    package var questions: [String]?

    package init(code: String, message: String, remedy: String? = nil, questions: [String]? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.questions = questions
    }
}

/// What matters of a certificate in the long run.
package struct ScanCertificate: Codable, Sendable, Hashable {
    package let subject: String
    package let issuer: String
    package let notAfter: String
    package let daysLeft: Int
    package let key: String
    package let sha256: String
    package let spkiSHA256: String
}

extension ScanRecord {
    /// The host as a person would write it, escaped; of a line that names none, the line.
    package var name: String {
        guard let host else { return DisplayText.text(self.text ?? "line \(self.line)") }
        let shown = DisplayText.text(host)
        return (shown.contains(":") ? "[\(shown)]" : shown) + ":\(self.port ?? 443)"
    }

    /// Which host it is, as distinct from others.
    package var identity: TargetIdentity {
        guard let host else { return TargetIdentity(["!", self.text ?? ""]) }
        // The dot of the root names the same host, and is not sent (RFC 6066 §3).
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return TargetIdentity([
            "", name.lowercased(), "\(self.port ?? 443)", self.connectTo ?? "", self.sni.map { "=\($0)" } ?? "",
            self.startTLS ?? "",
        ])
    }

    /// The answer to the question that decides.
    package func outcome(_ criterion: ScanCriterion) -> String? {
        switch criterion {
        case .ats: self.outcome.ats
        case .fcp: self.outcome.fcp
        case .trust: self.outcome.trust
        case .plist: self.outcome.plist
        case .pins: self.outcome.pins
        case .never: nil
        }
    }
}

/// Two words that tell targets apart: keyed hashes, which the author of a list cannot make collide.
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
