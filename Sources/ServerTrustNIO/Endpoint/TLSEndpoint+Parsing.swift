//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension TLSEndpoint {
    /// Creates an endpoint from what a person would write.
    ///
    /// Accepted are `example.com`, `example.com:8443`, `192.0.2.1`, `[2001:db8::1]:8443`, `2001:db8::1` and
    /// `https://example.com:8443/path`. The port is `defaultPort` unless written. Everything after the authority of a URL is
    /// ignored.
    ///
    /// - Parameters:
    ///   - text: The text to read.
    ///   - connectAddress: The IP address or DNS name to connect to in place of the host in `text`.
    ///   - defaultPort: The port where none is written.
    /// - Throws: ``TLSEndpointError``, whose description says what to write instead.
    public init(parsing text: String, connectAddress: String? = nil, defaultPort: Int = Self.defaultPort) throws {
        guard !text.isEmpty else {
            throw TLSEndpointError(.empty, input: text)
        }
        guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            throw TLSEndpointError(.containsSpace, input: text)
        }
        let authority = try Self.authority(of: text)
        guard !authority.contains("@") else {
            throw TLSEndpointError(.containsUserInformation, input: text)
        }
        let (host, portText) = try Self.split(authority, input: text)
        guard let port = portText.map(Self.port(from:)) ?? defaultPort else {
            throw TLSEndpointError(.invalidPort, input: text)
        }
        let validHost = try HostSyntax.validated(host, input: text)
        try self.init(host: validHost, port: port, connectAddress: connectAddress)
    }

    /// The part between the scheme and the path; without a scheme, a path is an error.
    private static func authority(of text: String) throws -> Substring {
        guard let separator = text.firstRange(of: "://") else {
            guard text.allSatisfy({ $0 != "/" && $0 != "?" && $0 != "#" }) else {
                throw TLSEndpointError(.pathWithoutScheme, input: text)
            }
            return text[...]
        }
        guard text[..<separator.lowerBound].lowercased() == "https" else {
            throw TLSEndpointError(.unsupportedScheme, input: text)
        }
        return text[separator.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }

    /// Separates host and port.
    ///
    /// Text with two or more colons and no brackets is an IPv6 address without a port.
    static func split(_ authority: Substring, input: String) throws -> (host: String, port: Substring?) {
        if authority.first == "[" {
            return try Self.splitBracketed(authority, input: input)
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), parts[1]) : (String(authority), nil)
    }

    /// Separates `[host]:port`; only an IPv6 address may stand in brackets (RFC 3986, section 3.2.2).
    private static func splitBracketed(
        _ authority: Substring,
        input: String
    ) throws -> (host: String, port: Substring?) {
        guard let closing = authority.firstIndex(of: "]") else {
            throw TLSEndpointError(.invalidBrackets, input: input)
        }
        let host = authority[..<closing].dropFirst()
        let rest = authority[closing...].dropFirst()
        guard host.contains(":"), rest.isEmpty || rest.first == ":" else {
            throw TLSEndpointError(.invalidBrackets, input: input)
        }
        return (String(host), rest.isEmpty ? nil : rest.dropFirst())
    }

    /// The port in `text`, or `nil` if it is not a plain decimal number from 1 through 65535.
    static func port(from text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(text), (1...65535).contains(port)
        else {
            return nil
        }
        return port
    }
}
