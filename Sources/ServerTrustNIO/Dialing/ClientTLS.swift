//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL

/// TLS at the client's side of a connection, with one callback as the judge.
enum ClientTLS {
    /// The judge of a server's certificates. It completes the promise with the verdict, at once or later.
    typealias Judge = (_ certificates: [NIOSSLCertificate], _ verdict: EventLoopPromise<NIOSSLVerificationResult>) ->
        Void

    /// Returns the TLS handler for one connection.
    ///
    /// - Parameters:
    ///   - context: The TLS context with the offer.
    ///   - serverName: The name for server name indication, or `nil` to send none.
    ///   - judge: The only judge of the certificates.
    /// - Throws: `NIOSSLError` if the name cannot be sent.
    static func handler(
        _ context: NIOSSLContext, serverName: String?, judgedBy judge: @escaping Judge
    ) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: serverName, customVerificationCallback: judge)
    }
}
