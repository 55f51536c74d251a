//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import ServerTrust

@testable import CertificatePath

/// Signed certificate timestamps: none counts that no log signed.
///
/// An input is an octet that chooses the kind of the chunks: lists from the handshake, certificates, or lists of logs.
enum TransparencyTarget {
    static let headerCount = 1

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let input = FuzzInput(bytes, headerCount: self.headerCount)
        switch input.header[0] % 3 {
        case 0: self.judge(input.chunks, &findings)
        case 1: for chunk in input.chunks { self.rebuild(chunk, &findings) }
        default: for chunk in input.chunks { self.readLogs(chunk, &findings) }
        }
    }

    // MARK: Lists from the handshake

    private static func judge(_ lists: [[UInt8]], _ findings: inout Findings) {
        guard let world = TransparencyWorld.shared else { return }
        for list in lists {
            let items = TimestampList.items(of: list[...])
            findings.expect(items.map(Array.init) == self.naiveItems(list), "another list than the naive reader's")
        }
        var request = TransparencyRequest(logs: TransparencyLogs(world.logs))
        request.timestampLists = lists
        let verdict = judgment(world.leaf, [], anchors: [TrustAnchor(world.root, anchorClass: .system)]) {
            $0.transparency = request
        }
        guard let report = verdict.transparency else { return }
        let valid = report.entries.filter { $0.status == .valid }
        findings.expect(
            valid.allSatisfy { $0.time == world.time && world.identifiers.contains($0.logIdentifier) },
            "a timestamp counts that no log signed")
        let logs = Set(valid.map(\.logIdentifier)).count
        findings.expect(!report.meetsPolicy || logs >= 2, "the policy is met by \(logs) logs")
        findings.expect(!verdict.isAccepted || report.meetsPolicy, "accepted without enough timestamps")
        findings.expect(!report.meetsPolicy || report.couldMeetPolicy, "met, and could not be met")
    }

    /// Two octets of length, and then items of two octets of length each, with nothing behind (RFC 6962 §3.3).
    private static func naiveItems(_ list: [UInt8]) -> [[UInt8]] {
        guard list.count > 2, Int(list[0]) * 256 + Int(list[1]) == list.count - 2 else { return [] }
        var items: [[UInt8]] = []
        var position = 2
        while position < list.count {
            guard position + 2 <= list.count else { return [] }
            let end = position + 2 + Int(list[position]) * 256 + Int(list[position + 1])
            guard end <= list.count, items.count < 64 else { return [] }
            items.append(Array(list[(position + 2)..<end]))
            position = end
        }
        return items
    }

    // MARK: Certificates with timestamps

    private static func rebuild(_ der: [UInt8], _ findings: inout Findings) {
        guard let certificate = try? CertificateView(der: der) else { return }
        let body = PrecertificateBody.octets(of: certificate)
        findings.expect(body == self.naiveBody(der), "another body than the naive writer's")
        findings.expect(body.map { $0.count < der.count } ?? true, "a body that is longer than its certificate")
        if let list = PrecertificateBody.timestampList(of: certificate) {
            findings.expect(body != nil, "timestamps in a certificate that has no body without them")
            findings.expect(list.count < der.count, "a list that is longer than its certificate")
        }
    }

    /// The identifier of the extension as it is encoded.
    private static let identifier: [UInt8] = [0x06, 0x0A, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x02]

    /// The body of a certificate that was read, without the extension; `nil` for one that does not have it.
    private static func naiveBody(_ der: [UInt8]) -> [UInt8]? {
        let tbs = self.elements(in: self.content(of: der))[0]
        var fields = self.elements(in: self.content(of: tbs))
        guard let last = fields.last, last[0] == 0xA3 else { return nil }
        let extensions = self.elements(in: self.content(of: self.content(of: last)))
        let kept = extensions.filter { !self.content(of: $0).starts(with: self.identifier) }
        guard kept.count < extensions.count else { return nil }
        fields[fields.count - 1] = DER.element(0xA3, DER.sequence(kept.flatMap(\.self)))
        return DER.sequence(fields.flatMap(\.self))
    }

    /// What is behind the tag and the length of an element that a strict reader has read.
    private static func content(of element: [UInt8]) -> [UInt8] {
        guard element.count >= 2 else { return [] }
        return Array(element.dropFirst(2 + (element[1] < 0x80 ? 0 : Int(element[1] & 0x7F))))
    }

    private static func elements(in content: [UInt8]) -> [[UInt8]] {
        var elements: [[UInt8]] = []
        var position = 0
        while position + 2 <= content.count {
            var (start, length) = (position + 2, Int(content[position + 1]))
            if length >= 0x80 {
                let count = length - 0x80
                length = content[start..<min(start + count, content.count)].reduce(0) { $0 << 8 | Int($1) }
                start += count
            }
            guard start + length <= content.count else { break }
            elements.append(Array(content[position..<start + length]))
            position = start + length
        }
        return elements
    }

    // MARK: Lists of logs

    private static func readLogs(_ contents: [UInt8], _ findings: inout Findings) {
        do {
            let list = try LogList(contents: contents)
            findings.expect(list.logs.count <= contents.count, "more logs than octets")
            findings.expect(list.logs.allSatisfy { !$0.identifier.isEmpty }, "a log without an identifier")
        } catch {
            findings.expect(!error.reason.isEmpty, "an error without a reason")
        }
    }

    static func seeds() throws -> [[UInt8]] {
        guard let world = TransparencyWorld.shared else { return [] }
        let template = Fixtures.root.leafTemplate { $0.set(.timestamps(world.lists[0])) }
        var second = template
        second.extensions.insert(.timestamps([0, 0]), at: 0)
        let certificates = try [template, second, Fixtures.root.leafTemplate()].map { try $0.encoded() }
        return world.lists.map { FuzzInput(header: [0], chunks: [$0]).encoded }
            + certificates.map { FuzzInput(header: [1], chunks: [$0]).encoded }
            + self.logLists(world).map { FuzzInput(header: [2], chunks: [Array($0.utf8)]).encoded }
    }

    private static func logLists(_ world: TransparencyWorld) -> [String] {
        let interval =
            #""temporal_interval": {"start_inclusive": "2026-01-01T00:00:00Z", "#
            + #""end_exclusive": "2027-01-01T00:00:00Z"}"#
        let states = ["usable", "readonly", "retired", "pending"]
        let logs = zip(states, TransparencyWorld.keys + TransparencyWorld.keys).map { state, key in
            #"{"description": "log", "key": "\#(self.base64(key.info))", "log_id": "AAAA", \#(interval), "#
                + #""state": {"\#(state)": {"timestamp": "2026-01-01T00:00:00Z"}}}"#
        }.joined(separator: ", ")
        let operators = #""operators": [{"name": "a", "logs": [\#(logs)], "tiled_logs": []}]"#
        return [
            #"{"$schema": "\#(LogList.schema)", \#(operators)}"#,
            #"{"log_list_timestamp": "2026-01-01T00:00:00Z", "version": "1", \#(operators)}"#,
        ]
    }

    private static func base64(_ octets: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return stride(from: 0, to: octets.count, by: 3).map { start in
            let part = octets[start..<min(start + 3, octets.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | (start + $1 < octets.count ? Int(octets[start + $1]) : 0) }
            let digits = (0..<4).map { alphabet[bits >> (18 - 6 * $0) & 0x3F] }
            return String(digits.prefix(part.count + 1)) + String(repeating: "=", count: 3 - part.count)
        }.joined()
    }
}

/// A server's certificate, two logs, and what they signed about it.
struct TransparencyWorld {
    let root: CertificateView
    let leaf: CertificateView
    let logs: [TransparencyLog]
    let identifiers: Set<[UInt8]>
    /// The one moment at which the logs signed.
    let time: Timestamp
    let lists: [[UInt8]]

    static let keys = [TestTimestamp(901), TestTimestamp(902)].map(\.log)
    static let shared = try? TransparencyWorld()

    private init() throws {
        self.root = try Fixtures.root.authority()
        self.leaf = try Fixtures.root.leaf(Fixtures.leafKey)
        self.logs = try Self.keys.map { try TransparencyLog(subjectPublicKeyInfo: $0.info) }
        self.identifiers = Set(self.logs.map(\.identifier))
        let entry = TestTimestamp.entry(self.leaf.bytes)
        let (one, two) = (TestTimestamp(901), TestTimestamp(902))
        self.time = Timestamp(secondsSinceEpoch: Int64(one.milliseconds / 1_000))
        var odd = two
        (odd.extensions, odd.hashAlgorithm) = ([1, 2, 3], 2)
        self.lists = try [[one, two], [one], [one, one], [one, odd], [one, two, TestTimestamp(903)]].map {
            try TestTimestamp.list($0, entry)
        }
    }
}
