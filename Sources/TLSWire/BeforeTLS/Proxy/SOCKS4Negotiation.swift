//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// SOCKS version 4, with the extension 4A for names.
///
/// Neither has an RFC. The specifications are `SOCKS4.protocol` and `SOCKS4A.protocol` by their authors.
struct SOCKS4Negotiation: Negotiation {
    private let target: ProxyTarget
    private let user: String?

    init(_ target: ProxyTarget, _ credentials: Proxy.Credentials?) {
        self.target = target
        self.user = credentials?.user
    }

    /// Returns version 4, CONNECT, the port, the address and the user. For a name, the address is an invalid one, and the name
    /// follows the user.
    mutating func opening() -> [UInt8] {
        let port = [UInt8(self.target.port >> 8), UInt8(self.target.port & 0xFF)]
        let head = [4, 1] + port + (self.target.address ?? [0, 0, 0, 1]) + Array((self.user ?? "").utf8) + [0]
        return self.target.address == nil ? head + Array(self.target.text.utf8) + [0] : head
    }

    /// Reads version 0 and the result. The port and the address after them are ignored.
    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let version = input.rest.first else { return .incomplete }
        guard version == 0 else { throw .unexpected("") }
        guard input.rest.count >= 8, let result = input.rest.dropFirst().first else { return .incomplete }
        switch result {
        case 90: break
        case 92, 93: throw self.user == nil ? .needsAuthentication : .failedAuthentication
        case 91: throw .rejected("rejected or failed")
        default: throw .unexpected("")
        }
        input.drop(8)
        return .ready
    }
}
