//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import ServerDiagnosis
package import ServerTrust
import ServerTrustNIO
import TLSProbe
package import TLSWire

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension ScanRecord {
    /// Creates the record of a diagnosed host.
    ///
    /// - Parameters:
    ///   - server: The host.
    ///   - line: The line of the list.
    ///   - id: The identifier of the host in the list.
    ///   - serverName: The server name (SNI) that was sent instead of the host.
    ///   - startTLS: The protocol that was spoken before TLS.
    package init(
        _ server: DiagnosedServer, line: Int, id: ScanIdentifier?, serverName: String?, startTLS: StartTLSProtocol?
    ) {
        let facts = server.diagnosis.facts
        self.init(line: line, date: ISO8601.text(server.date), outcome: Outcomes(server))
        self.host = server.endpoint.host.text
        self.port = server.endpoint.port
        self.connectTo = server.endpoint.connectAddress?.text
        self.sni = serverName.map(DisplayText.text)
        self.startTLS = startTLS?.rawValue
        self.id = id
        self.plan = facts.plan.rawValue
        self.address = facts.address
        self.findings = ScanFinding.findings(server)
        self.reasons = self.findings.map(\.code).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        self.take(server)
        let all = server.addresses.isEmpty ? [facts] : server.addresses.map(\.facts)
        self.connections = all.map(\.effort.connections).reduce(0, +)
        self.milliseconds = JSONEffort(facts.effort).milliseconds
        self.isDegraded = all.contains(where: \.effort.isDegraded)
        self.appleData = server.publicTrust.map { ISO8601.text($0.date) }
        let differences = server.addressContradictions
        let notes = server.notes.map(\.description) + differences.map { "\($0.message) \($0.remedy)" }
        self.notes = notes.isEmpty ? nil : notes.map { DisplayText.text($0) }
        guard !server.addresses.isEmpty else { return }
        self.addresses = server.addresses.map(JSONAddress.init)
        self.addressContradictions = differences.map(JSONAddressContradiction.init)
    }

    /// Creates the record of a line without a valid host, or with a host that could not be evaluated.
    ///
    /// - Parameters:
    ///   - error: The fault.
    ///   - line: The line of the list.
    ///   - id: The identifier of the host in the list.
    ///   - text: The text of the line, escaped.
    ///   - date: The moment when the line was read.
    package init(_ error: ScanFinding, line: Int, id: ScanIdentifier?, text: String, date: Date) {
        self.init(line: line, date: ISO8601.text(date), outcome: Outcomes())
        self.id = id
        self.text = text
        self.reasons = [error.code]
        self.error = error
    }

    private mutating func take(_ server: DiagnosedServer) {
        let facts = server.facts
        self.versions = facts.supportedVersions.map(\.description)
        self.cipherSuites = facts.cipherSuites.flatMap { $0.suites.map(\.description) }
        self.groups = facts.groups.flatMap { $0.groups.map(\.description) }
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        self.postQuantum = facts.features.postQuantumAgreement
        self.certificate = ScanCertificate(server)
        guard let certificates = facts.newestChain?.certificates.map({ try? Certificate(der: $0) }) else { return }
        self.chain = certificates.map { $0.map { JSONText.hexadecimal($0.sha256Fingerprint) } ?? "unreadable" }
    }
}

extension ScanRecord.Outcomes {
    init(_ server: DiagnosedServer) {
        let outcomes = Dictionary(uniqueKeysWithValues: server.verdicts.map { ($0.subject, $0.outcome.rawValue) })
        self.ats = outcomes[.ats] ?? "unknown"
        self.fcp = outcomes[.fcp]
        self.trust = outcomes[.trust] ?? "unknown"
        self.plist = outcomes[.plist]
    }
}

extension ScanCertificate {
    /// The server's certificate of today; `nil` without a readable one.
    init?(_ server: DiagnosedServer) {
        guard let leaf = server.facts.newestChain?.certificates.first, let certificate = try? Certificate(der: leaf)
        else {
            return nil
        }
        self.init(certificate, at: server.evaluationDate, warningBy: server.expiryThreshold)
    }

    /// A certificate at a moment.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - date: The moment.
    ///   - threshold: The rule by which its end is warned of.
    package init(_ certificate: Certificate, at date: Date, warningBy threshold: ExpiryThreshold) {
        let life = CertificateLife(of: certificate, at: Timestamp(date))
        self.subject = DisplayText.text(certificate.subjectSummary)
        self.issuer = DisplayText.text(certificate.issuer)
        self.notAfter = ISO8601.text(certificate.notValidAfter)
        self.daysLeft = DayCount.days(from: date, to: certificate.notValidAfter)
        self.key = "\(certificate.publicKey)"
        self.sha256 = JSONText.hexadecimal(certificate.sha256Fingerprint)
        self.spkiSHA256 = certificate.publicKey.pin
        self.notBefore = ISO8601.text(certificate.notValidBefore)
        self.percentLeft = life.percentLeft
        self.expiry = threshold.level(of: life)
    }
}

extension ServerFacts {
    /// The chain that a client of today is shown; `nil` without one.
    fileprivate var newestChain: ChainFact? {
        self.chains.max { ($0.versions.max() ?? .ssl30) < ($1.versions.max() ?? .ssl30) }
    }
}

extension ScanFinding {
    /// Returns the faults of a server, and the missing facts if they decide, each once. The findings of the decisive address come
    /// first.
    static func findings(_ server: DiagnosedServer) -> [ScanFinding] {
        server.reached.filter { $0.address != server.address }.reduce(into: Self.findings(server.diagnosis)) {
            all, other in
            all += Self.findings(other.diagnosis).filter { finding in !all.contains { $0.message == finding.message } }
        }
    }

    static func findings(_ diagnosis: ServerDiagnosis) -> [ScanFinding] {
        var findings: [ScanFinding] = []
        for verdict in diagnosis.verdicts {
            for violation in verdict.violations where !violation.isDoubt {
                let reason = diagnosis.reason(violation, of: verdict.subject)
                let other = reason.failure.map { [Self.finding($0.code, $0.message, remedy: $0.remedy)] }
                let own = other ?? reason.cause.map { [Self.finding($0, violation)] }
                for finding in own ?? Self.findings(violation) { findings.add(finding, verdict.subject.rawValue) }
            }
        }
        let open = diagnosis.verdicts.filter { $0.outcome == .unknown }.map(\.subject.rawValue)
        guard !open.isEmpty else { return findings }
        for doubt in diagnosis.doubts {
            findings.append(
                ScanFinding(
                    code: doubt.failure?.code ?? doubt.code, message: DisplayText.text(doubt.message),
                    remedy: DisplayText.text(doubt.remedy), questions: open))
        }
        return findings
    }

    /// Returns the findings of a violation. The reasons against the chain replace the general statement that it is not trusted.
    private static func findings(_ violation: ATSViolation) -> [ScanFinding] {
        guard case .untrusted(let failure) = violation.reason else {
            return [Self.finding(violation.code, violation.message, remedy: violation.remedy)]
        }
        return failure.reasons.map { reason in
            var finding = Self.finding(reason.code, reason.message, remedy: reason.remedy.advice)
            finding.rule = reason.rules.first?.section
            return finding
        }
    }

    /// Returns the reason for a failed handshake, so that the faults of a fleet are counted by their remedy.
    private static func finding(_ cause: ServerAdvice, _ violation: ATSViolation) -> ScanFinding {
        Self.finding(cause.kind.faultCode, cause.reason, remedy: "\(violation.message) \(cause.title).")
    }

    private static func finding(_ code: String, _ message: String, remedy: String) -> ScanFinding {
        ScanFinding(code: code, message: DisplayText.text(message), remedy: DisplayText.text(remedy))
    }
}

extension [ScanFinding] {
    fileprivate mutating func add(_ finding: ScanFinding, _ question: String) {
        let place = self.firstIndex { $0.code == finding.code && $0.message == finding.message } ?? self.endIndex
        if place == self.endIndex { self.append(finding) }
        self[place].questions = (self[place].questions ?? []) + [question]
    }
}
