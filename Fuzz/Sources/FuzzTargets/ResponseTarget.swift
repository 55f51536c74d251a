//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore

/// Responses of HTTP/1.1: read the same however they are cut, and never more than came.
///
/// An input is an octet that chooses the method and how the octets are cut, and what a server sends on one connection.
enum ResponseTarget {
    private struct Outcome: Equatable {
        var statuses: [Int] = []
        var content: [UInt8] = []
        var ends = 0
        var error: HTTPMessageError?
    }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .connect]

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let kind = bytes.first else { return }
        let (octets, method) = (bytes.dropFirst(), self.methods[Int(kind % 4)])
        let whole = self.read(octets, method, step: max(octets.count, 1))
        findings.expect(whole.content.count <= octets.count, "more content than came")
        findings.expect(method != .head || whole.content.isEmpty, "content behind HEAD")
        let cut = self.read(octets, method, step: 1 + Int(kind / 4))
        findings.expect(cut == whole, "another response when it is cut: \(cut) and \(whole)")
    }

    /// What is read of one response, and of the end of the connection behind it.
    private static func read(_ octets: ArraySlice<UInt8>, _ method: HTTPRequest.Method, step: Int) -> Outcome {
        var limits = ResponseReader.Limits()
        (limits.headSize, limits.fieldCount, limits.chunkLineSize, limits.chunkExtensionSize) = (512, 16, 64, 128)
        var reader = ResponseReader(limits: limits)
        var outcome = Outcome()
        reader.begin(method: method)
        do throws(HTTPMessageError) {
            for start in stride(from: octets.startIndex, to: octets.endIndex, by: step) {
                reader.receive(ByteBuffer(bytes: octets[start..<min(start + step, octets.endIndex)]))
                while outcome.ends < 1, let part = try reader.next() { self.take(part, &outcome) }
                if outcome.ends == 1 { break }
            }
            if outcome.ends == 0, let part = try reader.finish() { self.take(part, &outcome) }
        } catch {
            outcome.error = error
        }
        return outcome
    }

    private static func take(_ part: ResponsePart, _ outcome: inout Outcome) {
        switch part {
        case .informational(let head), .head(let head): outcome.statuses.append(head.status)
        case .content(let octets): outcome.content += octets.readableBytesView
        case .end: outcome.ends += 1
        }
    }

    static func seeds() -> [[UInt8]] {
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n",
            "HTTP/1.0 200 OK\n\nuntil the end", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\nConnection: close\r\n\r\na",
        ].map { [0] + Array($0.utf8) }
    }
}
