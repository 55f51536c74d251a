//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PinReport {
    /// The report in the format of HPKP (RFC 7469 §3), with two additional members: `enforced` and `failure`.
    ///
    /// - Returns: One JSON object in UTF-8, with its members in alphabetical order.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and Booleans always encode.
        return (try? encoder.encode(HPKPReport(self))).map(Array.init) ?? []
    }
}

/// The JSON object of a report (RFC 7469 §3).
private struct HPKPReport: Encodable {
    private enum CodingKeys: String, CodingKey {
        case dateTime = "date-time"
        case hostname
        case port
        case effectiveExpirationDate = "effective-expiration-date"
        case includeSubdomains = "include-subdomains"
        case notedHostname = "noted-hostname"
        case servedCertificateChain = "served-certificate-chain"
        case validatedCertificateChain = "validated-certificate-chain"
        case knownPins = "known-pins"
        case enforced
        case failure
    }

    let dateTime: String
    let hostname: String
    let port: Int?
    let effectiveExpirationDate: String?
    let includeSubdomains: Bool
    let notedHostname: String
    let servedCertificateChain: [String]
    let validatedCertificateChain: [String]
    let knownPins: [String]
    let enforced: Bool
    let failure: String?

    init(_ report: PinReport) {
        let mismatch = report.mismatch
        self.dateTime = "\(Timestamp(report.date))"
        self.hostname = report.host
        self.port = report.port
        self.effectiveExpirationDate = mismatch.pins.expiration.map { "\(Timestamp($0.date))" }
        self.includeSubdomains = report.pattern.map { $0.breadth != .exact } ?? false
        self.notedHostname = report.pattern?.host ?? report.host
        self.servedCertificateChain = mismatch.presented.map(\.pemRepresentation)
        // A path with faults other than pins was not validated.
        self.validatedCertificateChain = mismatch.isPathTrusted ? mismatch.path.map(\.pemRepresentation) : []
        self.knownPins = mismatch.pins.pins.map { "pin-\($0.kind.rawValue)=\"\($0.base64)\"" }
        self.enforced = !report.wasTrusted
        self.failure = report.failureCode
    }
}
