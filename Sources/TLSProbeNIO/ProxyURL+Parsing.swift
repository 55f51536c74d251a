//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
        case .port: "The port of the proxy's URL is none; write a number from 1 to 65535."
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
    public init(_ text: String) throws(ProxyURLError) {
        guard let scheme = Scheme.allCases.first(where: { text.lowercased().hasPrefix("\($0.rawValue)://") }) else {
            throw .scheme
        }
        var authority = text.dropFirst(scheme.rawValue.count + 3)
        if authority.last == "/" { authority.removeLast() }
        guard !authority.contains(where: { $0 == "/" || $0 == "?" || $0 == "#" }) else { throw .path }
        let at = authority.lastIndex(of: "@")
        self.credentials = try at.map { index throws(ProxyURLError) in
            try Credentials(escaped: authority[..<index], scheme)
        }
        let (host, port) = try Self.split(at.map { authority[authority.index(after: $0)...] } ?? authority)
        guard let target = PreambleHost(host) else { throw .host }
        self.host = target.text
        self.scheme = scheme
        if let port {
            guard let port = UInt16(decimal: port), port > 0 else { throw .port }
            self.port = Int(port)
        } else {
            guard scheme != .http else { throw .missingPort }
            self.port = 1080
        }
    }

    /// The host without its brackets, and the port.
    private static func split(_ text: Substring) throws(ProxyURLError) -> (Substring, Substring?) {
        guard text.first == "[" else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { throw .host }
            return (parts[0], parts.count == 2 ? parts[1] : nil)
        }
        guard let end = text.firstIndex(of: "]") else { throw .host }
        let host = text[text.index(after: text.startIndex)..<end]
        let rest = text[text.index(after: end)...]
        guard host.contains(":"), rest.isEmpty || rest.first == ":" else { throw .host }
        return (host, rest.isEmpty ? nil : rest.dropFirst())
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

    /// RFC 1929 §2 counts both with one byte, the name with one at least; RFC 7617 §2 ends the name with a colon.
    func isUsable(_ scheme: ProxyURL.Scheme) -> Bool {
        guard (1...255).contains(self.user.utf8.count), self.password.utf8.count <= 255 else { return false }
        guard scheme == .http else { return true }
        let isControl: (UInt8) -> Bool = { $0 < 0x20 || $0 == 0x7F }
        return !self.user.contains(":") && !self.user.utf8.contains(where: isControl)
            && !self.password.utf8.contains(where: isControl)
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

extension UInt16 {
    /// The number that decimal digits write; `nil` for others, signs among them.
    init?(decimal digits: Substring) {
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        self.init(digits)
    }
}
