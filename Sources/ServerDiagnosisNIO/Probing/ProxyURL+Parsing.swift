//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
public import TLSProbe

/// Why text is not the URL of a proxy.
public enum ProxyURLError: Error, Sendable, Hashable {
    /// It does not begin with `http://`, `socks5://` or `socks5h://`.
    case scheme
    /// There is no host, or what is there can be none.
    case host
    /// There is no port, where one is needed.
    case missingPort
    /// The port is not from 1 to 65535.
    case port
    /// The name or the password is not properly escaped, too long, or has characters that the proxy's protocol has not.
    case credentials
    /// There is something behind the port.
    case path
}

extension ProxyURLError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .scheme: "A proxy's URL begins with http://, socks5:// or socks5h://; write one of them."
        case .host: "The proxy's URL has no host that can be one; write a name or an address, IPv6 in brackets."
        case .missingPort: "The proxy's URL has no port; write it behind the host, such as :3128."
        case .port: "The port of the proxy's URL is not valid; write a number from 1 to 65535."
        case .credentials:
            "The name or password in the proxy's URL cannot be used; escape what is special, such as %40 for @, and "
                + "keep each below 256 bytes."
        case .path: "There is something behind the port in the proxy's URL; leave it out."
        }
    }
}

extension ProxyURL {
    /// The proxy of a URL (RFC 3986 §3).
    ///
    /// - Parameter text: The URL. Only SOCKS has a port to be left out, 1080.
    /// - Throws: ``ProxyURLError``, which says what to write instead.
    public init(_ text: String) throws(ProxyURLError) {
        guard let (name, rest) = AuthorityURL.splitScheme(text), let scheme = Scheme(rawValue: name) else {
            throw .scheme
        }
        let written = rest.hasSuffix("/") ? rest.dropLast() : rest
        guard !written.utf8.contains(where: "/?#".utf8.contains) else { throw .path }
        let authority: Authority
        do { authority = try Authority(written) } catch { throw error == .port ? .port : .host }
        guard authority.host.address?.isIPv6 != true || written.utf8.last == UInt8(ascii: "]") || authority.port != nil
        else { throw .host }
        guard let port = authority.port ?? (scheme == .http ? nil : 1_080) else { throw .missingPort }
        let credentials = try authority.userInformation.map { user throws(ProxyURLError) in
            try Credentials(escaped: user, scheme)
        }
        self.init(scheme, host: authority.host.text, port: port, credentials: credentials)
    }
}

extension ProxyURL.Credentials {
    fileprivate init(escaped text: Substring, _ scheme: ProxyURL.Scheme) throws(ProxyURLError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = Self.unescaped(parts[0]), let password = Self.unescaped(parts.count == 2 ? parts[1] : "")
        else {
            throw .credentials
        }
        self.init(user: user, password: password)
        guard self.isUsable(scheme) else { throw .credentials }
    }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(hexadecimal: digits) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The number that two digits of base 16 write; `nil` for others, signs among them.
    fileprivate init?(hexadecimal digits: some Collection<UInt8>) {
        let text = String(decoding: digits, as: UTF8.self)
        guard text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        self.init(text, radix: 16)
    }
}
