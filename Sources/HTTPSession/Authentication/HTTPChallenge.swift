//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// A challenge of a server or proxy: a scheme with what it needs to be answered (RFC 9110 §11.3).
///
/// ```swift
/// let challenges = HTTPChallenge.challenges(in: response.headerFields, target: .server)
/// ```
public struct HTTPChallenge: Sendable, Hashable {
    /// A parameter of a challenge (RFC 9110 §11.2).
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case: names are compared without regard to case.
        public let name: String
        /// The octets of the value, without the quotes and escapes of a quoted string. No control character is among them,
        /// except tabs.
        public let octets: [UInt8]

        /// The value as UTF-8. Octets that are not UTF-8 are replaced.
        public var value: String { String(decoding: self.octets, as: UTF8.self) }
    }

    /// The scheme as it is written, such as `Digest`. Schemes are compared without regard to case.
    public let scheme: String
    /// The one value of schemes that have no parameters, such as `Negotiate` (RFC 9110 §11.2); `nil` without one.
    public let token68: String?
    /// The parameters in their order. No name is there twice.
    public let parameters: [Parameter]

    /// The value of a parameter; `nil` without one.
    ///
    /// - Parameter name: The name, in any case.
    public subscript(_ name: String) -> String? { self.parameter(name)?.value }

    /// The part of the server that a credential is for (RFC 9110 §11.5); `nil` without a realm.
    public var realm: String? { self["realm"] }

    func parameter(_ name: String) -> Parameter? {
        let name = name.lowercased()
        return self.parameters.first { $0.name == name }
    }

    /// The challenges of a response, in their order: of all fields, and of all in one field (RFC 9110 §11.6.1, §11.7.1).
    ///
    /// What is not well formed is left out, together with the challenge that it is part of: a value without its closing quote,
    /// a control character, a parameter that is there twice. So is what is beyond a limit: 65,536 octets in all fields,
    /// 32 challenges, 32 parameters of a challenge, 4,096 octets of a value.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the response.
    ///   - target: Which of its fields are read: `WWW-Authenticate` of a server or `Proxy-Authenticate` of a proxy.
    public static func challenges(in fields: HTTPFields, target: HTTPAuthenticationTarget) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var octetsLeft = ChallengeReader.maximumOctets
        for field in fields[fields: target.challengeField] {
            let value = field.withUnsafeBytesOfValue { Array($0.prefix(octetsLeft + 1)) }
            // A field that was cut would be read for another one.
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
