//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text about a presented chain.
struct ChainLines {
    /// The most certificates in the text, more than any server needs. Formats for programs list them all.
    private static let shownCertificates = 6
    private static let shownNames = 8

    let title: String
    let certificates: [CertificateLines]
    let verdict: String

    /// The text about one certificate.
    struct CertificateLines {
        let name: String
        let lines: [FactLine]
        /// The certificate, or `nil` if it cannot be read.
        var certificate: Certificate?
        /// The faults of the certificate, in sentences.
        var faults: [String] = []
    }

    static func chains(of server: DiagnosedServer) -> [ChainLines] {
        let facts = server.diagnosis.facts
        return facts.chains.enumerated().map { index, chain in
            let trust = server.diagnosis.trust.indices.contains(index) ? server.diagnosis.trust[index] : nil
            let versions = chain.versions.map(\.description).joined(separator: ", ")
            let title = facts.chains.count > 1 ? "Chain \(index + 1)" : "Chain"
            return ChainLines(
                title: title + (versions.isEmpty ? "" : ", in \(versions)"),
                certificates: chain.certificates.prefix(Self.shownCertificates).enumerated().map { place, der in
                    var lines = Self.certificate(
                        der, of: place == 0 ? trust : nil, isLeaf: place == 0, at: server.evaluationDate)
                    lines.faults = Self.faults(of: lines.certificate, by: trust)
                    return lines
                }, verdict: Self.verdict(trust, chain))
        }
    }

    private static func verdict(_ trust: TrustResult?, _ chain: ChainFact) -> String {
        let proof = chain.isProven ? "" : ". That the server holds the key was not proven"
        let more = chain.certificates.count - Self.shownCertificates
        let hidden = more > 0 ? "; \(more) more certificates" : ""
        guard let trust else { return "cannot be judged\(hidden)" }
        let rest = proof + hidden
        guard let failure = trust.failure?.primary.message, !trust.isTrusted else {
            return (trust.isTrusted ? "trusted" : "not trusted") + rest
        }
        // The text continues with a clause instead of a second sentence.
        let clause = rest.isEmpty || !failure.hasSuffix(".") ? failure : String(failure.dropLast())
        return "not trusted: \(clause)\(rest)"
    }

    private static func certificate(
        _ der: [UInt8], of trust: TrustResult?, isLeaf: Bool, at date: Date
    ) -> CertificateLines {
        guard let certificate = try? Certificate(der: der) else {
            return CertificateLines(name: "a certificate that cannot be read", lines: [])
        }
        var lines = [FactLine("valid", [DayCount.validity(of: certificate, at: date)])]
        lines.append(FactLine("key", ["\(certificate.publicKey), pin sha256/\(certificate.publicKey.pin)"]))
        lines.append(FactLine("signed", ["with \(certificate.signatureAlgorithm) by \(certificate.issuer)"]))
        if isLeaf { lines.append(FactLine("names", [Self.names(of: certificate)])) }
        if let report = trust?.transparency { lines.append(FactLine("logged", [TransparencyText.logs(of: report)])) }
        if let text = trust.flatMap(TransparencyText.extendedValidation) {
            lines.append(FactLine("EV", [text]))
        }
        return CertificateLines(
            name: DisplayText.text(certificate.subjectSummary), lines: lines, certificate: certificate)
    }

    /// Returns the reasons of the evaluation that name the certificate.
    private static func faults(of certificate: Certificate?, by trust: TrustResult?) -> [String] {
        guard let certificate else { return ["It cannot be read."] }
        return (trust?.failure?.reasons ?? []).filter { $0.certificate == certificate }.map(\.message)
    }

    private static func names(of certificate: Certificate) -> String {
        let names = certificate.dnsNames + certificate.ipAddresses.map(\.description)
        guard !names.isEmpty else { return "none a server could have" }
        return names.listed(upTo: Self.shownNames)
    }
}
