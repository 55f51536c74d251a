//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Foundation
import ServerTrust
import TestSupport
import Testing

/// A made-up public authority with logs of its own, in Apple's data and in Google's format, and a server's certificate below it.
/// No program at hand puts timestamps of logs into certificates, so that they are made in code.
struct PublicSite: Sendable {
    /// A log that signs the certificate.
    struct Log: Sendable {
        var number: UInt16
        /// `true` for a log of the static-ct-api, `false` for one of RFC 6962.
        var isStatic = false
        var operatorName: String
    }

    let folder: TemporaryFolder
    /// The options that make our command judge by the made-up data.
    let options: [String]
    private static let (root, issuer) = (
        CraftedAuthority("Public root", .p256(71)), CraftedAuthority("Public issuer", .p256(72))
    )
    private static let logs = [
        Log(number: 901, isStatic: true, operatorName: "A"), Log(number: 902, isStatic: true, operatorName: "B"),
        Log(number: 903, operatorName: "C"), Log(number: 904, operatorName: "D"),
    ]

    /// Two logs of the static-ct-api alone.
    static let staticLogs: [UInt16] = [901, 902]
    /// As many logs of each kind as certificates of any length need, of different operators.
    static let allLogs: [UInt16] = [901, 902, 903, 904]

    /// Writes the data and `root.pem`.
    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        let root = try Self.root.authority()
        let (_, data) = try PublicTrustTests.program(folder.path("."), fetched: Date(), root: root)
        _ = try folder.file("root.pem", Certificate(root).pemRepresentation)
        let list = try folder.file("logs.json", Self.logList())
        self.options = ["--apple-data", data, "--log-list", list]
    }

    /// Writes the chain and the key of a certificate for a.test: `site.pem`, `site.leaf`, `site.key`.
    ///
    /// - Parameters:
    ///   - start: The beginning of its validity, at which the logs sign, too.
    ///   - seconds: The length of its validity, without its last second.
    ///   - logs: The logs that sign it.
    func issue(from start: Date, seconds: Int, logs: [UInt16]) throws {
        var leaf = Self.issuer.leafTemplate {
            $0.subject = TestDER.name([[.cn("a.test")]])
            $0.set(.alternativeNames([.dns("a.test")]))
            $0.notBefore = Self.time(start)
            $0.notAfter = Self.time(start.addingTimeInterval(Double(seconds)))
        }
        let entry = TestTimestamp.entry(leaf, issuer: Self.issuer.key)
        let timestamps = logs.map { number in
            var timestamp = TestTimestamp(number)
            timestamp.milliseconds = UInt64(start.timeIntervalSince1970) * 1_000
            return timestamp
        }
        leaf.set(.timestamps(try TestTimestamp.list(timestamps, entry)))
        let key = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 31) + [100])
        try Self.write([leaf.view()], below: Self.issuer, Self.root, key: key.pemRepresentation, in: self.folder)
    }

    /// Writes a server's certificate, the chain with its issuer, and the key.
    static func write(
        _ leaves: [CertificateView], below issuer: CraftedAuthority, _ root: CraftedAuthority, key: String,
        in folder: TemporaryFolder
    ) throws {
        let leaf = leaves.map { Certificate($0).pemRepresentation }.joined()
        _ = try folder.file("site.leaf", leaf)
        _ = try folder.file("site.pem", leaf + Certificate(try root.authority(issuer)).pemRepresentation)
        _ = try folder.file("site.key", key)
    }

    /// A UTCTime, which years before 2050 have.
    static func time(_ date: Date) -> [UInt8] {
        DER.utcTime("\(Timestamp(date))".filter { $0.isNumber || $0 == "Z" }.dropFirst(2).description)
    }

    private static func logList() throws -> String {
        let operators = Self.logs.map { log in
            let key = Data(TestKey.p256(log.number).info)
            let identifier = Data(SHA256.hash(data: key)).base64EncodedString()
            let entry = """
                {"description": "Log \(log.number)", "key": "\(key.base64EncodedString())", "log_id": "\(identifier)",
                 "state": {"usable": {"timestamp": "2024-01-01T00:00:00Z"}}}
                """
            let (logs, tiled) = log.isStatic ? ("", entry) : (entry, "")
            return #"{"name": "\#(log.operatorName)", "logs": [\#(logs)], "tiled_logs": [\#(tiled)]}"#
        }
        let date = Date().addingTimeInterval(-3_600).formatted(.iso8601)
        return """
            {"version": "1", "log_list_timestamp": "\(date)", "operators": [\(operators.joined(separator: ", "))]}
            """
    }
}
