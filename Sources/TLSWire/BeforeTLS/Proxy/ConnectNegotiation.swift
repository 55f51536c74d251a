//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// HTTP's CONNECT (RFC 9110 §9.3.6) in HTTP/1.1 (RFC 9112).
struct ConnectNegotiation: Negotiation {
    private let authority: String
    private let credentials: Proxy.Credentials?
    private var status: Status?

    private struct Status: Hashable, Sendable {
        let code: Int
        let text: String
    }

    init(_ target: ProxyTarget, _ credentials: Proxy.Credentials?) {
        self.authority = "\(target.text):\(target.port)"
        self.credentials = credentials
    }

    mutating func opening() -> [UInt8] {
        var lines = ["CONNECT \(self.authority) HTTP/1.1", "Host: \(self.authority)"]
        if let credentials = self.credentials {
            // RFC 7617 §2.
            let pair = Array("\(credentials.user):\(credentials.password)".utf8)
            lines.append("Proxy-Authorization: Basic \(Self.base64(pair))")
        }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let line = try input.line() else { return .incomplete }
        guard let status = self.status else {
            self.status = try Self.status(line)
            return .proceed
        }
        guard line.isEmpty else { return .proceed }
        switch status.code {
        // RFC 9110 §15.2: any number of these may precede the final response.
        case 100...199: self.status = nil
        // A successful response has no content, even if its fields declare a length (RFC 9110 §9.3.6).
        case 200...299: return .ready
        case 407: throw self.credentials == nil ? .needsAuthentication : .failedAuthentication
        default: throw .rejected(status.text)
        }
        return .proceed
    }

    /// Reads a line such as `HTTP/1.1 200 Connection established`. Its reason phrase may be missing (RFC 9112 §4).
    private static func status(_ line: [UInt8]) throws(NegotiationError) -> Status {
        let text = String(printable: line)
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0",
            let digits = words[1].split(separator: " ").first, digits.utf8.count == 3,
            let code = UInt16(decimal: digits), (100...599).contains(code)
        else { throw .unexpected(text) }
        return Status(code: Int(code), text: String(words[1]))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start...].prefix(3)
            let bits = (group + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
            for index in 0...3 {
                text.append(index > group.count ? "=" : alphabet[bits >> (18 - 6 * index) & 0x3F])
            }
        }
        return text
    }
}

extension UInt16 {
    /// Reads decimal digits, or returns `nil` for any other text, even a sign.
    fileprivate init?(decimal digits: Substring) {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(digits)
    }
}
