//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decides about servers after the rules have: what a delegate's method for server trust is to URLSession.
///
/// ```swift
/// struct AcceptsKnownDevice: ServerTrustHandler {
///     func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition {
///         guard challenge.host == "printer.local", let leaf = challenge.trust.certificates.first,
///             knownDevices.contains(leaf.publicKey.sha256)
///         else { return .performDefaultHandling }
///         return .useCredential(ServerTrustCredential(trust: challenge.trust))
///     }
/// }
/// ```
///
/// It may take its time: ask a person, a database or another machine. Nothing passes the connection before it answers.
/// A handler that throws refuses the server.
public protocol ServerTrustHandler: Sendable {
    /// Decides about a server.
    ///
    /// - Parameter challenge: The server, its chain ready to be evaluated, and what the rules make of it.
    /// - Returns: What becomes of the connection.
    /// - Throws: Anything; the server is refused then, and the error is the cause that the program is told.
    func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition
}
