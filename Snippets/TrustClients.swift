// Let only clients through whose certificates the server trusts, and learn who they are.

import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustNIO

func serve(
    _ group: any EventLoopGroup, _ ourRoot: Certificate, chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource
) throws {
    // snippet.show
    // Once, for the server.
    let configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
    let gate = try ClientTrustGate(ClientTrustSettings(trust: .only([ourRoot]), tls: configuration))

    // For each connection.
    let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            let outcome = channel.eventLoop.makePromise(of: GatedClient.self)
            outcome.futureResult.whenSuccess { client in
                print(client.identity?.spiffeID?.description ?? "no SPIFFE ID", client.applicationProtocol ?? "no ALPN")
            }
            try channel.pipeline.syncOperations.addClientTrustHandlers(gate, outcome: outcome)
        }
    }
    // snippet.hide
    _ = bootstrap
}
