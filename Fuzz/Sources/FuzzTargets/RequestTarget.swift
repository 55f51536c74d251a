//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore

/// Requests of HTTP/1.1: read the same however they are cut, never more than came, and never with two lengths.
///
/// An input is an octet that says how the octets are cut, and what a client sends on one connection.
enum RequestTarget {
    private struct Outcome: Equatable {
        var heads: [String] = []
        var content: [UInt8] = []
        var ends = 0
        var error: HTTPRequestError?
    }

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let kind = bytes.first else { return }
        let octets = bytes.dropFirst()
        let whole = self.read(octets, step: max(octets.count, 1), &findings)
        findings.expect(whole.content.count <= octets.count, "more content than came")
        findings.expect(whole.ends <= whole.heads.count, "an end without a head")
        let cut = self.read(octets, step: 1 + Int(kind % 64), &findings)
        findings.expect(cut == whole, "another request when it is cut: \(cut) and \(whole)")
    }

    private static func read(_ octets: ArraySlice<UInt8>, step: Int, _ findings: inout Findings) -> Outcome {
        var limits = MessageLimits.ofRequests
        (limits.headSize, limits.fieldCount, limits.chunkLineSize, limits.chunkExtensionSize) = (512, 16, 64, 128)
        var reader = RequestReader(limits: limits)
        var outcome = Outcome()
        reader.begin()
        do throws(HTTPRequestError) {
            for start in stride(from: octets.startIndex, to: octets.endIndex, by: step) {
                reader.receive(ByteBuffer(bytes: octets[start..<min(start + step, octets.endIndex)]))
                while let part = try reader.next() {
                    self.take(part, &outcome, &findings)
                    if case .end = part { reader.begin() }
                }
            }
            try reader.finish()
        } catch {
            outcome.error = error
        }
        return outcome
    }

    private static func take(_ part: RequestPart, _ outcome: inout Outcome, _ findings: inout Findings) {
        switch part {
        case .head(let head, let framing):
            outcome.heads.append("\(head.method.rawValue) \(head.target) \(framing)")
            let fields = head.fields
            findings.expect(
                !fields.contains(.contentLength) || !fields.contains(.transferEncoding), "two framings")
            findings.expect(fields[values: .contentLength].count <= 1, "two lengths")
            findings.expect(framing != .untilClose, "content without a length")
            findings.expect(!head.target.utf8.contains { $0 <= 0x20 || $0 >= 0x7F }, "a target with blanks")
        case .content(let octets): outcome.content += octets.readableBytesView
        case .end: outcome.ends += 1
        }
    }

    static func seeds() -> [[UInt8]] {
        [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a:443 HTTP/1.0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n fold\r\n\r\n",
        ].map { [0] + Array($0.utf8) }
    }
}
