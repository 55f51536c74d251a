//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Which proxy a request passes.
public struct ProxyPolicy: Sendable, Hashable {
    /// The proxy for `http`; `nil` for none.
    public var http: HTTPProxy? { didSet { self.malformed[.http] = nil } }
    /// The proxy for `https`; `nil` for none.
    public var https: HTTPProxy? { didSet { self.malformed[.https] = nil } }
    /// What is wrong with a proxy that was named, and that only some hosts are connected to through.
    var malformed: [HTTPURL.Scheme: HTTPProxyError] = [:]
    /// The hosts that are connected to without a proxy.
    public var exceptions = ProxyExceptions()
    /// Whether a proxy is asked for a tunnel for `http` as well.
    public var tunnelsPlainHTTP = false

    /// No proxy.
    public init() {}

    /// One proxy for everything.
    public init(_ proxy: HTTPProxy) { (self.http, self.https) = (proxy, proxy) }

    /// Whether there is a proxy for some hosts.
    package var isUsed: Bool { self.http != nil || self.https != nil || !self.malformed.isEmpty }

    /// Why the proxy for an origin cannot be used.
    func problem(for origin: HTTPURL.Origin) -> HTTPProxyError? {
        self.exceptions.covers(origin) ? nil : self.malformed[origin.scheme]
    }

    /// The proxy for an origin; `nil` for none.
    func proxy(for origin: HTTPURL.Origin) -> HTTPProxy? {
        guard !self.exceptions.covers(origin) else { return nil }
        return origin.scheme == .http ? self.http : self.https
    }
}

/// Hosts that are connected to without a proxy, as `NO_PROXY` and curl's `--noproxy` have them.
public struct ProxyExceptions: Sendable, Hashable {
    private let patterns: [String]
    private let coversAll: Bool

    /// No exceptions.
    public init() { self.init("") }

    /// Reads a list.
    ///
    /// - Parameter list: Names, which cover the hosts below them too, with or without a dot in front; addresses; blocks such as
    ///   `10.0.0.0/8`; each with a port or without; separated by commas or blanks. `*` alone covers every host.
    public init(_ list: String) {
        let words = list.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
        self.coversAll = words == ["*"]
        self.patterns = words.map { $0.lowercased() }
    }

    /// The blocks of addresses in the list that are none, and cover nothing.
    public var invalidBlocks: [String] {
        self.patterns.filter { pattern in
            guard let slash = pattern.firstIndex(of: "/") else { return false }
            guard let block = Self.address(String(pattern[..<slash])),
                let bits = Int(pattern[pattern.index(after: slash)...])
            else { return true }
            return !(0...block.octets.count * 8).contains(bits)
        }
    }

    /// Whether no host is covered.
    var isEmpty: Bool { self.patterns.isEmpty }

    func covers(_ origin: HTTPURL.Origin) -> Bool {
        self.coversAll || self.patterns.contains { Self.covers($0, origin) }
    }

    private static func covers(_ pattern: String, _ origin: HTTPURL.Origin) -> Bool {
        if let slash = pattern.firstIndex(of: "/") {
            let bits = Int(pattern[pattern.index(after: slash)...])
            guard let bits, let block = Self.address(String(pattern[..<slash])), let address = origin.host.address
            else { return false }
            return Self.isInBlock(address.octets, block.octets, bits: bits)
        }
        let dotted = pattern.hasPrefix(".") ? String(pattern.dropFirst()) : pattern
        guard let authority = try? Authority(dotted.hasSuffix(".") ? dotted.dropLast() : dotted[...]) else {
            return false
        }
        guard authority.port == nil || authority.port == origin.port else { return false }
        if authority.host.isAddress || origin.host.isAddress { return authority.host == origin.host }
        return origin.host == authority.host || origin.host.text.hasSuffix("." + authority.host.text)
    }

    private static func address(_ text: String) -> IPAddress? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        return IPAddress(isBracketed ? String(text.dropFirst().dropLast()) : text)
    }

    private static func isInBlock(_ address: [UInt8], _ block: [UInt8], bits: Int) -> Bool {
        guard address.count == block.count, (0...address.count * 8).contains(bits) else { return false }
        return zip(address, block).enumerated().allSatisfy { index, pair in
            let left = min(max(bits - index * 8, 0), 8)
            let mask = left == 0 ? 0 : UInt8.max << UInt8(8 - left)
            return (pair.0 ^ pair.1) & mask == 0
        }
    }
}
