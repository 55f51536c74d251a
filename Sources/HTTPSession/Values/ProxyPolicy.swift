//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
public import ServerTrustNIO
public import TLSWire

/// Which proxy a request passes.
public struct ProxyPolicy: Sendable, Hashable {
    /// The proxy for `http`; `nil` for none.
    public var http: Proxy? { didSet { self.malformed[.http] = nil } }
    /// The proxy for `https`; `nil` for none.
    public var https: Proxy? { didSet { self.malformed[.https] = nil } }
    /// The faults of proxies that were named, and that only some hosts are connected to through.
    var malformed: [HTTPURL.Scheme: ProxyError] = [:]
    /// The credential in place of the proxies' own; `nil` for their own.
    public var credential: HTTPRequestCredential?
    /// The schemes by which the proxies' own users and passwords may be shown.
    public var schemes: HTTPAuthenticationSchemes = [.basic, .digest]
    /// Whether the proxies' own users and passwords are sent by Basic before a proxy asks.
    public var sendsBasicUnasked = false
    /// The hosts that are connected to without a proxy.
    public var exceptions = ProxyExceptions()
    /// Whether a proxy is asked for a tunnel for `http` as well.
    public var tunnelsPlainHTTP = false

    /// No proxy.
    public init() {}

    /// One proxy for everything.
    public init(_ proxy: Proxy) { (self.http, self.https) = (proxy, proxy) }

    /// Whether there is a proxy for some hosts.
    package var isUsed: Bool { self.http != nil || self.https != nil || !self.malformed.isEmpty }

    /// One proxy for everything.
    ///
    /// - Parameter text: The proxy as curl reads it, such as `http://user:password@proxy.example:3128`.
    /// - Throws: `ProxyError`
    public init(_ text: String) throws(ProxyError) { self.init(try Proxy(text)) }

    /// The proxies in the environment of a process: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, of which all but the
    /// first may be in capitals. A web server sets `HTTP_PROXY` to a field that its client chooses. An empty variable counts as
    /// a missing one.
    ///
    /// - Parameter environment: The environment.
    /// - Throws: `ProxyError`. Where there are exceptions, a malformed proxy fails the requests that would pass it alone.
    public init(environment: [String: String]) throws(ProxyError) {
        self.init()
        self.exceptions = ProxyExceptions(environment: environment)
        let all = ["all_proxy", "ALL_PROXY"]
        for (scheme, names) in [
            (HTTPURL.Scheme.http, ["http_proxy"] + all), (.https, ["https_proxy", "HTTPS_PROXY"] + all),
        ] {
            guard let text = environment.firstValue(of: names) else { continue }
            do throws(ProxyError) {
                let proxy = try Proxy(text)
                if scheme == .http { self.http = proxy } else { self.https = proxy }
            } catch {
                guard !self.exceptions.isEmpty else { throw error }
                self.malformed[scheme] = error
            }
        }
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

extension ProxyExceptions {
    /// The list in the environment of a process: `no_proxy`, or `NO_PROXY`.
    ///
    /// - Parameter environment: The environment.
    public init(environment: [String: String]) {
        self.init(environment.firstValue(of: ["no_proxy", "NO_PROXY"]) ?? "")
    }
}

extension [String: String] {
    /// The first of several variables that is there and not empty.
    fileprivate func firstValue(of names: [String]) -> String? {
        names.lazy.compactMap { self[$0] }.first { !$0.isEmpty }
    }
}
