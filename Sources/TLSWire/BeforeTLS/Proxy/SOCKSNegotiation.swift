//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// SOCKS version 5 (RFC 1928), with user names and passwords (RFC 1929).
struct SOCKSNegotiation: Negotiation {
    private let target: ProxyTarget
    private let credentials: Proxy.Credentials?
    private var stage = Stage.method

    private enum Stage: Sendable {
        case method
        case authentication
        case reply
    }

    init(_ target: ProxyTarget, _ credentials: Proxy.Credentials?) {
        self.target = target
        self.credentials = credentials
    }

    /// Returns version 5 and the methods of authentication: none, and user name with password.
    mutating func opening() -> [UInt8] { self.credentials == nil ? [5, 1, 0] : [5, 2, 0, 2] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        let rest = Array(input.rest.prefix(5))
        // RFC 1929 §2: the sub-negotiation has a version of its own.
        let isAuthenticating = self.stage == .authentication
        guard let version = rest.first else { return .incomplete }
        guard version == (isAuthenticating ? 1 : 5) else { throw .unexpected("") }
        guard rest.count >= 2 else { return .incomplete }
        switch self.stage {
        case .method:
            input.drop(2)
            return try self.method(rest[1])
        case .authentication:
            guard rest[1] == 0 else { throw .failedAuthentication }
            input.drop(2)
            return self.request()
        case .reply: return try Self.reply(rest, &input)
        }
    }

    private mutating func method(_ method: UInt8) throws(NegotiationError) -> NegotiationStep {
        switch (method, self.credentials) {
        case (0, _): return self.request()
        case (2, let credentials?):
            self.stage = .authentication
            let (user, password) = (Array(credentials.user.utf8), Array(credentials.password.utf8))
            return .send([1, UInt8(clamping: user.count)] + user + [UInt8(clamping: password.count)] + password)
        case (0xFF, nil): throw .needsAuthentication
        case (0xFF, _?): throw .rejected("no acceptable method of authentication")
        default: throw .unexpected("")
        }
    }

    /// Returns the request: version 5, CONNECT, a reserved octet and the destination (RFC 1928 §4).
    private mutating func request() -> NegotiationStep {
        self.stage = .reply
        let (name, port) = (Array(self.target.text.utf8), self.target.port)
        let destination =
            if let address = self.target.address {
                [address.count == 4 ? 1 : 4] + address
            } else {
                [3, UInt8(clamping: name.count)] + name
            }
        return .send([5, 1, 0] + destination + [UInt8(port >> 8), UInt8(port & 0xFF)])
    }

    /// Reads the reply (RFC 1928 §6): version, result, a reserved octet, and the proxy's own address and port, which are ignored.
    private static func reply(_ rest: [UInt8], _ input: inout NegotiationInput) throws(NegotiationError)
        -> NegotiationStep
    {
        guard rest[1] == 0 else { throw .rejected(Self.results[rest[1]] ?? "result \(rest[1])") }
        guard rest.count == 5 else { return .incomplete }
        let length: Int
        switch rest[3] {
        case 1: length = 4
        case 3: length = 1 + Int(rest[4])
        case 4: length = 16
        default: throw .unexpected("")
        }
        guard input.rest.count >= 4 + length + 2 else { return .incomplete }
        input.drop(4 + length + 2)
        return .ready
    }

    private static let results: [UInt8: String] = [
        1: "general failure", 2: "not allowed by the rules", 3: "network unreachable", 4: "host unreachable",
        5: "connection refused", 6: "time to live expired", 7: "command not supported",
        8: "type of address not supported",
    ]
}
