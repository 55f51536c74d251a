//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// A challenge of a server or proxy: a scheme with its parameters (RFC 9110 §11.3).
///
/// ```swift
/// let challenges = HTTPChallenge.challenges(in: response.headerFields, target: .server)
/// ```
public struct HTTPChallenge: Sendable, Hashable {
    /// A parameter of a challenge (RFC 9110 §11.2).
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case. Names are compared case-insensitively.
        public let name: String
        /// The octets of the value without the quotes and escapes of a quoted string. They contain no control
        /// characters except tabs.
        public let octets: [UInt8]

        /// The value as UTF-8. Invalid octets are replaced.
        public var value: String { String(decoding: self.octets, as: UTF8.self) }
    }

    /// The scheme as it is written, such as `Digest`. Schemes are compared case-insensitively.
    public let scheme: String
    /// The value of a scheme without parameters, such as `Negotiate` (RFC 9110 §11.2), or `nil` if there is none.
    public let token68: String?
    /// The parameters in their order. All names are different.
    public let parameters: [Parameter]

    /// The value of a parameter, or `nil` if it is absent.
    ///
    /// - Parameter name: The name in upper or lower case.
    public subscript(_ name: String) -> String? { self.parameter(name)?.value }

    /// The protection space of a credential (RFC 9110 §11.5), or `nil` if there is no realm.
    public var realm: String? { self["realm"] }

    func parameter(_ name: String) -> Parameter? {
        let name = name.lowercased()
        return self.parameters.first { $0.name == name }
    }

    /// Returns the challenges of a response in their order. A response may have several fields, and a field several challenges (RFC
    /// 9110 §11.6.1, §11.7.1).
    ///
    /// A malformed challenge is left out: one with an unterminated quoted string, a control character, or a repeated parameter.
    /// Challenges beyond a limit are left out too: 65,536 octets in all fields, 32 challenges, 32 parameters of a challenge, 4,096
    /// octets of a value.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the response.
    ///   - target: The sender of the challenges: `WWW-Authenticate` of a server or `Proxy-Authenticate` of a proxy is read.
    public static func challenges(in fields: HTTPFields, target: HTTPAuthenticationTarget) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var octetsLeft = ChallengeReader.maximumOctets
        for field in fields[fields: target.challengeField] {
            let value = field.withUnsafeBytesOfValue { Array($0.prefix(octetsLeft + 1)) }
            // A truncated field could be read as a different challenge.
            guard value.count <= octetsLeft else { break }
            octetsLeft -= value.count
            challenges += ChallengeReader.challenges(in: value)
            guard challenges.count < ChallengeReader.maximumChallenges else { break }
        }
        return Array(challenges.prefix(ChallengeReader.maximumChallenges))
    }
}

extension HTTPChallenge: CustomStringConvertible {
    /// The scheme and the names of its parameters.
    public var description: String {
        "HTTPChallenge(\(self.scheme), \(self.parameters.map(\.name).joined(separator: ", ")))"
    }
}
