//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
public import ServerTrustNIO
public import TLSWire

/// The proxies of a session, by the scheme of the URL, with the hosts that bypass them.
public struct ProxyPolicy: Sendable, Hashable {
    /// The proxy for `http`, or `nil` if there is none.
    public var http: Proxy? { didSet { self.malformed[.http] = nil } }
    /// The proxy for `https`, or `nil` if there is none.
    public var https: Proxy? { didSet { self.malformed[.https] = nil } }
    /// The errors of malformed proxies, by scheme. They fail only the requests that would use the proxy.
    var malformed: [HTTPURL.Scheme: ProxyError] = [:]
    /// The credential for the proxies, or `nil` to use those in their URLs.
    public var credential: HTTPRequestCredential?
    /// The schemes that may be used for the credentials in the URLs of proxies.
    public var schemes: HTTPAuthenticationSchemes = [.basic, .digest]
    /// `true` if the credentials in the URLs of proxies are sent by Basic before a proxy requests them.
    public var sendsBasicUnasked = false
    /// The hosts that bypass the proxies.
    public var exceptions = ProxyExceptions()
    /// `true` if a proxy opens a tunnel for `http` as well.
    public var tunnelsPlainHTTP = false

    /// Creates a policy without proxies.
    public init() {}

    /// Creates a policy with one proxy for all requests.
    public init(_ proxy: Proxy) { (self.http, self.https) = (proxy, proxy) }

    /// `true` if there is a proxy for any host.
    package var isUsed: Bool { self.http != nil || self.https != nil || !self.malformed.isEmpty }

    /// Creates a policy with one proxy for all requests.
    ///
    /// - Parameter text: The proxy in curl's notation, such as `http://user:password@proxy.example:3128`.
    /// - Throws: `ProxyError` if the text is malformed.
    public init(_ text: String) throws(ProxyError) { self.init(try Proxy(text)) }

    /// Reads the proxies from the environment of a process: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    ///
    /// All names except the first may be in upper case, because web servers set `HTTP_PROXY` to a field that the client controls.
    /// An empty variable counts as a missing one.
    ///
    /// - Parameter environment: The environment.
    /// - Throws: `ProxyError` if a proxy is malformed. If there are exceptions, it instead fails only the requests that would
    ///   use the proxy.
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

/// The hosts that bypass the proxies, in the notation of `NO_PROXY` and curl's `--noproxy`.
public struct ProxyExceptions: Sendable, Hashable {
    private let patterns: [String]
    private let coversAll: Bool

    /// Creates an empty list of exceptions.
    public init() { self.init("") }

    /// Reads a list.
    ///
    /// - Parameter list: Names, IP addresses and blocks such as `10.0.0.0/8`, separated by commas or spaces. A name, with or
    ///   without a leading dot, also covers its subdomains. A name or address may have a port. A single `*` covers every host.
    public init(_ list: String) {
        let words = list.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
        self.coversAll = words == ["*"]
        self.patterns = words.map { $0.lowercased() }
    }

    /// The malformed blocks of the list, which cover no host.
    public var invalidBlocks: [String] {
        self.patterns.filter { pattern in
            guard let slash = pattern.firstIndex(of: "/") else { return false }
            guard let block = Self.address(String(pattern[..<slash])),
                let bits = Int(pattern[pattern.index(after: slash)...])
            else { return true }
            return !(0...block.octets.count * 8).contains(bits)
        }
    }

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
    /// Reads the list from the environment of a process: `no_proxy` or `NO_PROXY`.
    ///
    /// - Parameter environment: The environment.
    public init(environment: [String: String]) {
        self.init(environment.firstValue(of: ["no_proxy", "NO_PROXY"]) ?? "")
    }
}

extension [String: String] {
    fileprivate func firstValue(of names: [String]) -> String? {
        names.lazy.compactMap { self[$0] }.first { !$0.isEmpty }
    }
}
