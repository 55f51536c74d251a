//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A question of a server or proxy to the program: `URLAuthenticationChallenge`, as a value.
public struct AuthenticationChallenge: Sendable {
    /// Where a credential is asked for.
    public var protectionSpace: ProtectionSpace

    /// The credential that default handling sends when nothing failed before; `nil` without one.
    public var proposedCredential: Credential?

    /// How many credentials failed before, for the same request.
    public var previousFailureCount: Int

    /// The response that asks, such as one with status 401; `nil` for challenges of a handshake.
    public var failureResponse: FailureResponse?

    /// Why the credential before failed, or why the rules refuse a server; `nil` where that is not known.
    public var error: (any Error)?

    /// A challenge.
    ///
    /// - Parameters:
    ///   - protectionSpace: Where a credential is asked for.
    ///   - proposedCredential: The credential of default handling.
    ///   - previousFailureCount: How many credentials failed before.
    ///   - failureResponse: The response that asks.
    ///   - error: Why the credential before failed.
    public init(
        _ protectionSpace: ProtectionSpace, proposedCredential: Credential? = nil, previousFailureCount: Int = 0,
        failureResponse: FailureResponse? = nil, error: (any Error)? = nil
    ) {
        self.protectionSpace = protectionSpace
        self.proposedCredential = proposedCredential
        self.previousFailureCount = previousFailureCount
        self.failureResponse = failureResponse
        self.error = error
    }
}

extension AuthenticationChallenge: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method, the host, and how often it failed, without credentials, headers and the text of errors.
    public var description: String {
        let (space, port) = (self.protectionSpace, self.protectionSpace.port.map { ":\($0)" } ?? "")
        return "AuthenticationChallenge(\(space.authenticationMethod) for \(space.host.textInURL)\(port), "
            + "previousFailureCount: \(self.previousFailureCount))"
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without credentials, headers and errors.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "protectionSpace": self.protectionSpace, "previousFailureCount": self.previousFailureCount,
                "failureResponse": self.failureResponse as Any,
            ])
    }
}

/// The head of a response that asks for a credential: what a handler is told of an `HTTPURLResponse`.
public struct FailureResponse: Sendable, Hashable {
    /// A field of a response.
    public struct Field: Sendable, Hashable {
        /// The name. Names are compared without regard to case (RFC 9110 §5.1).
        public let name: String
        /// The value.
        public let value: String

        /// A field.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - value: The value.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The status code, such as 401 or 407.
    public let statusCode: Int
    /// The fields in their order.
    public let headers: [Field]

    /// The head of a response.
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - headers: The fields in their order.
    public init(statusCode: Int, headers: [Field]) { (self.statusCode, self.headers) = (statusCode, headers) }

    /// The values of a field, in their order.
    ///
    /// - Parameter name: The name, in any case.
    public subscript(_ name: String) -> [String] {
        let name = name.lowercased()
        return self.headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

extension FailureResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the names of fields, without their values: some of them set cookies.
    public var description: String {
        "FailureResponse(\(self.statusCode), headers: \(self.headers.map(\.name).joined(separator: ", ")))"
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without the values of fields.
    public var customMirror: Mirror {
        Mirror(self, children: ["statusCode": self.statusCode, "headers": self.headers.map(\.name)])
    }
}

extension FailureResponse.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, without the value.
    public var description: String { self.name }

    /// The name, without the value.
    public var debugDescription: String { self.name }

    /// A reflection without the value.
    public var customMirror: Mirror { Mirror(self, children: ["name": self.name]) }
}

/// What a handler makes of a challenge: `URLSession.AuthChallengeDisposition`, with the credential where one belongs.
public enum AuthenticationDisposition: Sendable, Equatable {
    /// This credential is sent. `nil` goes on without one, which no server's trust is accepted by.
    case useCredential(Credential?)

    /// What happens without a handler: the rules decide about a server's trust, and elsewhere the proposed credential is sent
    /// if nothing failed before.
    case performDefaultHandling

    /// The request fails (`NSURLErrorCancelled`, -999).
    case cancelAuthenticationChallenge

    /// The next challenge of the same response is asked, and after the last the response is delivered. A server's trust, which
    /// has no other challenge beside it, is refused.
    case rejectProtectionSpace
}
