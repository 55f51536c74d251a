//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerTrust
import TLSProbe

/// What a server chose of an offer.
struct JSONSelection: Codable, Hashable, Sendable {
    let offer: String
    let version: String
    let cipherSuite: JSONParameter
    let group: JSONParameter?
    let signatureScheme: JSONParameter?
    /// `yes`, `no`, or `unknown`; absent in TLS 1.3, which always has it.
    let extendedMasterSecret: String?
    let applicationProtocol: String?
    /// The place among the chains, from 0.
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

/// A chain of certificates.
struct JSONChainFact: Codable, Hashable, Sendable {
    let versions: [String]
    let isProven: Bool
    let hasOCSPResponse: Bool
    let certificates: [JSONPresentedCertificate]

    init(_ chain: ChainFact) {
        self.versions = chain.versions.map(\.description)
        self.isProven = chain.isProven
        self.hasOCSPResponse = chain.ocspResponse != nil
        self.certificates = chain.certificates.map(JSONPresentedCertificate.init)
    }
}

/// A certificate as a server presents it; of one that cannot be read there is an error and nothing else.
struct JSONPresentedCertificate: Codable, Hashable, Sendable {
    var subject: String?
    var issuer: String?
    var serialNumber: String?
    var notBefore: String?
    var notAfter: String?
    var key: String?
    var keyBits: Int?
    var signatureAlgorithm: String?
    var spkiSHA256: String?
    var sha256: String?
    var dnsNames: [String]?
    var ipAddresses: [String]?
    var error: String?

    init(_ der: [UInt8]) {
        do {
            let certificate = try Certificate(der: der)
            self.subject = DisplayText.text(certificate.subject)
            self.issuer = DisplayText.text(certificate.issuer)
            self.serialNumber = JSONText.hexadecimal(certificate.serialNumber)
            self.notBefore = ISO8601.text(certificate.notValidBefore)
            self.notAfter = ISO8601.text(certificate.notValidAfter)
            self.key = "\(certificate.publicKey)"
            self.keyBits = certificate.publicKey.sizeInBits
            self.signatureAlgorithm = certificate.signatureAlgorithm
            self.spkiSHA256 = certificate.publicKey.pin
            self.sha256 = JSONText.hexadecimal(certificate.sha256Fingerprint)
            self.dnsNames = certificate.dnsNames.map(DisplayText.text)
            self.ipAddresses = certificate.ipAddresses.map(\.description)
        } catch {
            self.error = DisplayText.text("\(error)")
        }
    }
}

/// What else a server does: `yes`, `no`, or `unknown` for what was not asked, or what had no clear answer.
struct JSONFeatures: Codable, Hashable, Sendable {
    /// By the names of the features.
    let answers: [String: String]
    let applicationProtocols: [String]?
    let signatureSchemes: [JSONParameter]?
    let asksForClientCertificate: String
    /// By what was tried.
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
