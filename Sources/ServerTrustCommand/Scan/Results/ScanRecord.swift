//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a scan says of one host: a line of its results without the facts, which are too many to keep.
struct ScanRecord: Codable, Sendable {
    /// The kind of line, and its version.
    static let format = "servertrust.scan/1"

    /// The line of the list, from 1.
    var line: Int
    /// The host; absent where the line names none.
    var host: String?
    var port: Int?
    var connectTo: String?
    var sni: String?
    var startTLS: String?
    /// What the list calls it by.
    var id: ScanIdentifier?
    /// The line as it was written, where it names no host.
    var text: String?
    /// When it was asked.
    var date: String
    var plan: String?
    var address: String?
    var outcome: Outcomes
    /// The codes of everything that speaks against the host, or is not known, the worst first.
    var reasons: [String] = []
    /// The same in words.
    var findings: [ScanFinding] = []
    /// What it speaks, the newest version first.
    var versions: [String] = []
    var cipherSuites: [String] = []
    var groups: [String] = []
    /// The certificate that a client of today is shown.
    var certificate: ScanCertificate?
    /// The digests of that chain.
    var chain: [String] = []
    var connections = 0
    var milliseconds = 0
    var isDegraded = false
    /// Why the line could not be used.
    var error: ScanFinding?
    /// What was known last of each question, also where it is not known now. Kept between the rounds of a watch only.
    var lastAnswers: Outcomes?

    /// The answers: `passed`, `failed` or `unknown`.
    struct Outcomes: Codable, Sendable, Hashable {
        var ats = "unknown"
        /// Absent where the release that is asked about does not know the question.
        var fcp: String?
        var trust = "unknown"
    }
}

/// Something that speaks against a host, in words.
struct ScanFinding: Codable, Sendable, Hashable {
    let code: String
    let message: String
    var remedy: String?
    /// The questions that it is about.
    var questions: [String]?
}

/// What matters of a certificate in the long run.
struct ScanCertificate: Codable, Sendable, Hashable {
    let subject: String
    let issuer: String
    let notAfter: String
    let daysLeft: Int
    let key: String
    let sha256: String
    let spkiSHA256: String
}

extension ScanRecord {
    /// The host as a person would write it, escaped; of a line that names none, the line.
    var name: String {
        guard let host else { return PrintableText.text(self.text ?? "line \(self.line)") }
        let shown = PrintableText.text(host)
        return (shown.contains(":") ? "[\(shown)]" : shown) + ":\(self.port ?? 443)"
    }

    /// Which host it is, as distinct from others.
    var identity: TargetIdentity {
        guard let host else { return TargetIdentity(["!", self.text ?? ""]) }
        // The dot of the root names the same host, and is not sent (RFC 6066 §3).
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return TargetIdentity([
            "", name.lowercased(), "\(self.port ?? 443)", self.connectTo ?? "", self.sni.map { "=\($0)" } ?? "",
            self.startTLS ?? "",
        ])
    }

    /// The answer to the question that decides.
    func outcome(_ criterion: ScanCriterion) -> String? {
        switch criterion {
        case .ats: self.outcome.ats
        case .fcp: self.outcome.fcp
        case .trust: self.outcome.trust
        case .never: nil
        }
    }
}

/// Two words that tell targets apart: keyed hashes, which nobody who makes a list can make collide.
struct TargetIdentity: Hashable, Sendable {
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
