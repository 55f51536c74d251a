//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import ServerTrustNIO
import Synchronization

/// An authenticator that several requests of a session share.
final class SharedAuthenticator: Sendable {
    private let authenticator: Mutex<HTTPAuthenticator>

    init(_ authenticator: HTTPAuthenticator) { self.authenticator = Mutex(authenticator) }

    func preemptive(for request: inout AuthenticatedRequest) throws -> HTTPField? {
        try self.authenticator.withLock { try $0.preemptive(for: &request) }
    }

    func respond(
        to response: HTTPResponse, for request: inout AuthenticatedRequest
    ) throws -> HTTPAuthenticator.Outcome {
        try self.authenticator.withLock { try $0.respond(to: response, for: &request) }
    }

    func answer(_ offer: HTTPAuthenticationOffer, for request: inout AuthenticatedRequest) throws -> HTTPField? {
        try self.authenticator.withLock { try $0.answer(offer, for: &request) }
    }

    func check(_ response: HTTPResponse, for request: AuthenticatedRequest) throws {
        _ = try self.authenticator.withLock { try $0.check(response, for: request) }
    }

    func note(trailers: HTTPFields, for request: AuthenticatedRequest) throws {
        try self.authenticator.withLock { try $0.note(trailers: trailers, for: request) }
    }

    func contentProof(
        in response: HTTPResponse, mayHaveTrailers: Bool, for request: AuthenticatedRequest
    ) -> ResponseContentProof? {
        self.authenticator.withLock { $0.contentProof(in: response, mayHaveTrailers: mayHaveTrailers, for: request) }
    }
}

/// The authenticators of a session, one for each pair of origin or proxy and credential.
final class AuthenticatorStore: Sendable {
    private struct Key: Hashable {
        let origin: HTTPURL.Origin
        let isProxy: Bool
        let credential: HTTPRequestCredential
    }

    private static let maximumCount = 256

    private let authenticators = Mutex<[Key: SharedAuthenticator]>([:])

    func authenticator(
        for origin: HTTPURL.Origin, isProxy: Bool, _ credential: HTTPRequestCredential
    ) -> SharedAuthenticator {
        let key = Key(origin: origin, isProxy: isProxy, credential: credential)
        return self.authenticators.withLock { authenticators in
            if let known = authenticators[key] { return known }
            // A request without its stored authenticator costs only another challenge.
            if authenticators.count >= Self.maximumCount { authenticators.removeAll() }
            let authenticator = SharedAuthenticator(credential.authenticator(for: isProxy ? .proxy : .server))
            authenticators[key] = authenticator
            return authenticator
        }
    }
}
