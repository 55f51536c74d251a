//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import ServerTrustNIO

/// A TLS server on 127.0.0.1 with the reference identity and the anchors of its clients.
///
/// ```swift
/// let result = try await server.trust().evaluate()
/// ```
public protocol LoopbackServer: Sendable {
    /// The DNS name or IP address that a client checks the server's certificate against.
    var host: String { get }

    /// The port on 127.0.0.1.
    var port: Int { get }

    /// The certificates that the server sends, in DER, its own first.
    var certificates: [[UInt8]] { get }

    /// The trust anchors of a client.
    var anchors: TrustAnchors { get }
}

extension LoopbackServer {
    /// The endpoint for ServerTrustNIO, with the server's name and its loopback address.
    ///
    /// - Throws: `TLSEndpointError` if ``host`` is neither a DNS name nor an IP address.
    public var endpoint: TLSEndpoint {
        get throws {
            try TLSEndpoint(host: self.host, port: self.port, connectAddress: LoopbackClient.address)
        }
    }

    /// Connects to the server as a client and creates a trust object for the presented chain and the server's name.
    ///
    /// The server has proven in the handshake that it holds its key.
    ///
    /// - Returns: A trust object with the certificates in the order in which they were presented and with ``anchors``, ready to
    ///   be evaluated or handed to a `ServerTrustManager`.
    /// - Throws: `TLSConnectionError` if the connection fails, for example because the server has been shut down.
    ///   `CertificateError` if a presented certificate cannot be read.
    public func trust() async throws -> Trust {
        try await LoopbackClient.trust(in: self.endpoint, anchors: self.anchors)
    }
}

extension TestTLSServer {
    /// Connects to the server as a client and creates a trust object for the presented chain and a name.
    ///
    /// - Parameters:
    ///   - host: The DNS name or IP address to check the certificate against.
    ///   - anchors: The trust anchors of the client, for example ``TestAuthority/anchors``.
    /// - Returns: A trust object with the certificates in the order in which they were presented, ready to be evaluated.
    /// - Throws: `TLSEndpointError` if `host` is not valid, `TLSConnectionError` if the connection fails, or `CertificateError`
    ///   if a presented certificate cannot be read.
    public func trust(forHost host: String, anchors: TrustAnchors) async throws -> Trust {
        let endpoint = try TLSEndpoint(host: host, port: self.port, connectAddress: LoopbackClient.address)
        return try await LoopbackClient.trust(in: endpoint, anchors: anchors)
    }
}

/// The client for all servers on 127.0.0.1.
private enum LoopbackClient {
    static let address = "127.0.0.1"

    static func trust(in endpoint: TLSEndpoint, anchors: TrustAnchors) async throws -> Trust {
        var configuration = TLSConnection.Configuration()
        // The server runs in this process, so a late answer means that the machine is busy.
        configuration.timeout = .seconds(60)
        let chain = try await TLSConnection.presentedChain(of: endpoint, configuration: configuration)
        if case .failed(let error) = chain.handshake {
            throw error
        }
        return try Trust(
            certificates: chain.certificates.map { try ServerTrust.Certificate(der: $0) },
            policy: .tlsServer(hostname: endpoint.host.text),
            configuration: TrustConfiguration(anchors: anchors))
    }
}
