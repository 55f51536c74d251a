//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import TLSWire

/// Hellos of clients: what a naive reader says, and nothing before all has come.
///
/// An input is an octet that says how the octets are cut, and what a client sends.
enum HelloTarget {
    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let kind = bytes.first else { return }
        let octets = Array(bytes.dropFirst())
        let whole = Self.read(octets)
        findings.expect(Self.read(octets) == whole, "another hello when it is read again")
        guard case .success(.finished(let hello)) = whole else { return }
        findings.expect(hello.size <= min(octets.count, ReceivedClientHello.limit + (5 + (1 << 14))), "more than came")
        let name = hello.serverName ?? "a"
        findings.expect(!name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a name of other octets")
        findings.expect(Self.read(Array(octets.prefix(hello.size))) == whole, "what follows it is read")
        for end in stride(from: 0, to: hello.size, by: 1 + Int(kind / 2)) {
            let cut = Self.read(Array(octets.prefix(end)))
            findings.expect(cut == .success(.unfinished), "\(cut) at \(end) of \(hello.size)")
        }
        let naive = Self.naiveExtensions(octets.prefix(hello.size))
        findings.expect(
            naive?[0].map { Array($0.dropFirst(5)) } == hello.serverName.map { Array($0.utf8) }, "another name")
        let versions = hello.supportedVersions.flatMap { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)] }
        findings.expect(Array(naive?[43]?.dropFirst() ?? []) == versions, "other versions")
        let hasTicket = naive?[41] != nil || naive?[35]?.isEmpty == false
        let hasIdentifier = naive?[Self.session]?.isEmpty == false
        findings.expect(hello.mayResume(upTo: .tls12) == (hasTicket || hasIdentifier), "another sight of sessions")
        let offersTLS13 = hello.supportedVersions.contains(.tls13)
        findings.expect(
            hello.mayResume(upTo: .tls13) == (hasTicket || (hasIdentifier && !offersTLS13)),
            "another sight of sessions in TLS 1.3")
    }

    private static func read(_ octets: [UInt8]) -> Result<ReceivedClientHello.Progress, FlightError> {
        do {
            return .success(try ReceivedClientHello.read(octets))
        } catch {
            return .failure(error)
        }
    }

    /// Where the identifier of a session stands among the extensions.
    private static let session = -1

    /// The extensions of a hello that can be read, by number, and the identifier of a session: naively, without looking at what the lengths lie within.
    private static func naiveExtensions(_ octets: ArraySlice<UInt8>) -> [Int: ArraySlice<UInt8>]? {
        var (rest, message) = (octets, ArraySlice<UInt8>())
        while rest.count >= 5 {
            let (type, end) = (rest[rest.startIndex], 5 + Self.number(rest.dropFirst(3).prefix(2)))
            if type == 22 { message += rest.prefix(end).dropFirst(5) }
            rest = rest.dropFirst(end)
        }
        message = message.dropFirst(4 + 2 + 32)
        let identifier = message.dropFirst().prefix(Self.number(message.prefix(1)))
        message = message.dropFirst(1 + identifier.count)
        message = message.dropFirst(2 + Self.number(message.prefix(2)))
        message = message.dropFirst(1 + Self.number(message.prefix(1))).dropFirst(2)
        var extensions: [Int: ArraySlice<UInt8>] = [Self.session: identifier]
        while message.count >= 4 {
            let size = Self.number(message.dropFirst(2).prefix(2))
            extensions[Self.number(message.prefix(2))] = message.dropFirst(4).prefix(size)
            message = message.dropFirst(4 + size)
        }
        return extensions
    }

    private static func number(_ octets: ArraySlice<UInt8>) -> Int { octets.reduce(0) { $0 << 8 | Int($1) } }

    static func seeds() -> [[UInt8]] {
        let name = Self.element(0, [0, 9, 0, 0, 6] + Array("a.test".utf8))
        let versions = Self.element(43, [4, 3, 4, 3, 3])
        let (plain, retried) = (Self.record(Self.hello([])), Self.record(Self.hello([name, versions])))
        let message = Self.hello([name, versions, Self.element(0xFE0D, [0])])
        return [
            [0] + plain, [2] + Self.record(Self.hello([name])) + plain, [5] + [20, 3, 3, 0, 1, 1] + retried,
            [4] + Self.record(Array(message.prefix(50))) + Self.record(Array(message.dropFirst(50))),
            [0] + Self.record(Self.hello([name, name])), [0] + Self.record(Self.hello([Self.element(0, [0, 1, 0])])),
            [0] + Self.record(Self.hello([name, versions, Self.element(35, [7]), Self.element(41, [0, 0])])),
            [0] + Array("GET / HTTP/1.1\r\n\r\n".utf8), [0] + [21, 3, 1, 0, 2, 1, 0],
        ]
    }

    private static func hello(_ extensions: [[UInt8]]) -> [UInt8] {
        let all = Array(extensions.joined())
        let body =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0] + [0, 2, 0x13, 1] + [1, 0] + Self.length(all) + all
        return [1, 0] + Self.length(body) + body
    }

    private static func element(_ number: Int, _ content: [UInt8]) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xFF)] + Self.length(content) + content
    }

    private static func record(_ content: [UInt8]) -> [UInt8] { [22, 3, 1] + Self.length(content) + content }

    private static func length(_ octets: [UInt8]) -> [UInt8] { [UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] }
}
