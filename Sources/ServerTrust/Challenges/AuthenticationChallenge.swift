//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A challenge of a server or proxy to the program: the equivalent of `URLAuthenticationChallenge`, as a value.
///
/// A ``ChallengeRouter`` passes it to a handler, which answers with an ``AuthenticationDisposition``. The description and
/// reflection have no credentials, headers or error texts.
public struct AuthenticationChallenge: Sendable {
    /// The protection space that requires authentication.
    public var protectionSpace: ProtectionSpace

    /// The credential that default handling sends if nothing failed before, or `nil` if there is none.
    public var proposedCredential: Credential?

    /// The number of credentials that failed before, for the same request.
    public var previousFailureCount: Int

    /// The response with the challenge, such as one with status 401, or `nil` for challenges of a handshake.
    public var failureResponse: FailureResponse?

    /// The reason why the last credential failed or the rules refuse the server, or `nil` if it is not known.
    public var error: (any Error)?

    /// Creates a challenge.
    ///
    /// - Parameters:
    ///   - protectionSpace: The protection space that requires authentication.
    ///   - proposedCredential: The credential of default handling.
    ///   - previousFailureCount: The number of credentials that failed before.
    ///   - failureResponse: The response with the challenge.
    ///   - error: The reason why the last credential failed.
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
    /// The method, the host and the number of failures, without credentials, headers and error texts.
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

/// The head of a response with a challenge: the part of an `HTTPURLResponse` that a handler receives.
///
/// The description and reflection leave out the values of fields, as some of them set cookies.
public struct FailureResponse: Sendable, Hashable {
    /// A header field of a response.
    public struct Field: Sendable, Hashable {
        /// The name. Names are compared without regard to case (RFC 9110 §5.1).
        public let name: String
        /// The value.
        public let value: String

        /// Creates a field.
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

    /// Creates the head of a response.
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
    /// The status and the names of the fields. Values are left out, as some of them set cookies.
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

/// The decision of a handler about a challenge: `URLSession.AuthChallengeDisposition`, including the credential.
public enum AuthenticationDisposition: Sendable, Equatable {
    /// Send this credential. `nil` continues without one, which never accepts a server's trust.
    case useCredential(Credential?)

    /// Continue as without a handler: the rules decide about a server's trust. For other methods, the proposed credential is sent
    /// if nothing failed before.
    case performDefaultHandling

    /// Fail the request (`NSURLErrorCancelled`, -999).
    case cancelAuthenticationChallenge

    /// Continue with the next challenge of the same response, and deliver the response after the last one. A server's trust, which
    /// has no alternative challenge, is refused.
    case rejectProtectionSpace
}
