//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL

/// TLS at the client's side of a connection, which one callback judges.
enum ClientTLS {
    /// The judge of what a server presents: whether to complete the handshake, at once or later.
    typealias Judge = (_ certificates: [NIOSSLCertificate], _ verdict: EventLoopPromise<NIOSSLVerificationResult>) ->
        Void

    /// The TLS handler of one connection.
    ///
    /// - Parameters:
    ///   - context: The offer.
    ///   - serverName: The name in server name indication; `nil` sends none.
    ///   - judge: The judge. Nothing else looks at the certificates.
    /// - Throws: `NIOSSLError` for a name that cannot be sent.
    static func handler(
        _ context: NIOSSLContext, serverName: String?, judgedBy judge: @escaping Judge
    ) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: serverName, customVerificationCallback: judge)
    }
}
