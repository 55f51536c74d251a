//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A handler that decides about servers after the rules, like a URLSession delegate's method for server trust.
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
/// A handler may take its time to ask a person, a database or another machine. No data pass the connection before its answer. A
/// handler that throws refuses the server.
public protocol ServerTrustHandler: Sendable {
    /// Decides about a server.
    ///
    /// - Parameter challenge: The server with its chain and the verdict of the rules.
    /// - Returns: The decision about the server.
    /// - Throws: Any error. The server is then refused, and the error becomes the cause that the program receives.
    func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition
}
