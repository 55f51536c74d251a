//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ReportSupport
import ServerTrust
import SystemPackage
import TestSupport

@testable import FleetScan
@testable import ServerReports

/// Certificates at moments of a made-up time, and the warnings about them.
enum ExpiryFixture {
    static let day: Int64 = 86_400
    static let start: Int64 = 1_780_000_000

    static func certificate(from start: Int64, days: Int64, at now: Int64, digest: String) -> ScanCertificate {
        let life = CertificateLife(
            notBefore: Timestamp(secondsSinceEpoch: start),
            notAfter: Timestamp(secondsSinceEpoch: start + days * Self.day), date: Timestamp(secondsSinceEpoch: now))
        var certificate = ScanCertificate(
            subject: "x", issuer: "y", notAfter: "\(life.notAfter)", daysLeft: Int(life.secondsLeft / Self.day),
            key: "EC", sha256: digest, spkiSHA256: digest)
        certificate.notBefore = "\(life.notBefore)"
        certificate.percentLeft = life.percentLeft
        certificate.expiry = ExpiryThreshold.default.level(of: life)
        return certificate
    }

    static func record(from start: Int64, days: Int64, at now: Int64, digest: String) -> ScanRecord {
        passingRecord {
            $0.certificate = Self.certificate(from: start, days: days, at: now, digest: digest)
            $0.date = Date(timeIntervalSince1970: Double(now)).formatted(.iso8601)
        }
    }

    static func result(from start: Int64, days: Int64, at now: Int64, digest: String) -> ScanResult {
        ScanResult(record: Self.record(from: start, days: days, at: now, digest: digest))
    }

    static func address(_ text: String, _ certificate: ScanCertificate?) throws -> JSONAddress {
        struct Address: Encodable {
            let address: String
            var outcomes: [String: String] = [:]
            var versions: [String] = []
            let certificate: ScanCertificate?
        }
        let json = try JSONEncoder().encode(Address(address: text, certificate: certificate))
        return try JSONDecoder().decode(JSONAddress.self, from: json)
    }

    /// A writer to a device that is always full.
    static func full() throws -> ChangeWriter {
        let device = try Descriptor.writing("/dev/full")
        return ChangeWriter(try ResultStream.replacing(device, "/dev/full", kinds: []), nil, criterion: .ats)
    }
}

/// The warnings that were written.
struct Alarms {
    let writer: ChangeWriter
    private let file: Descriptor

    init() throws {
        self.file = try Descriptor.temporary()
        self.writer = ChangeWriter(
            try ResultStream.replacing(self.file, "none", kinds: []), nil, criterion: .ats)
    }

    var count: Int { self.writer.written.all }

    func levels() throws -> [String] { try self.documents().compactMap { $0["level"]?.string } }

    func values(_ field: String) throws -> [String] {
        try self.documents().compactMap { document in
            let change = document["changes"]?.elements.first { $0["field"]?.string == field }
            return change?["new"]?.elements.first?.string
        }
    }

    private func documents() throws -> [JSONValue] {
        let bytes = try self.file.read(self.file.size ?? 0, at: 0)
        return try bytes.split(separator: 0x0A).map { try JSONDecoder().decode(JSONValue.self, from: Data($0)) }
    }
}
