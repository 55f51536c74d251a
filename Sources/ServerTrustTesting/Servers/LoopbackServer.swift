//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import ServerTrustNIO

/// A TLS server on 127.0.0.1 together with what a client of it asks for and trusts.
///
/// ```swift
/// let result = try await server.trust().evaluate()
/// ```
public protocol LoopbackServer: Sendable {
    /// The DNS name or IP address a client asks for, which the server's certificate is to be checked for.
    var host: String { get }

    /// The port on 127.0.0.1.
    var port: Int { get }

    /// The certificates the server sends in DER, its own first.
    var certificates: [[UInt8]] { get }

    /// What a client trusts.
    var anchors: TrustAnchors { get }
}

extension LoopbackServer {
    /// The server as ServerTrustNIO connects to it: under its name, at its address.
    ///
    /// - Throws: `TLSEndpointError` if ``host`` is neither a DNS name nor an IP address.
    public var endpoint: TLSEndpoint {
        get throws {
            try TLSEndpoint(host: self.host, port: self.port, connectAddress: LoopbackClient.address)
        }
    }

    /// Connects like a client, and asks whether what the server presents is to be trusted for its name.
    ///
    /// The server has proven in the handshake that it holds its key.
    ///
    /// - Returns: The question, with the certificates as they were presented and ``anchors``, ready to be evaluated or
    ///   handed to a `ServerTrustManager`.
    /// - Throws: `TLSConnectionError` if there is no connection, for example because the server has been shut down;
    ///   `CertificateError` if a presented certificate cannot be read.
    public func trust() async throws -> Trust {
        try await LoopbackClient.trust(in: self.endpoint, anchors: self.anchors)
    }
}

extension TestTLSServer {
    /// Connects like a client, and asks whether what the server presents is to be trusted for a name.
    ///
    /// - Parameters:
    ///   - host: The DNS name or IP address to ask for.
    ///   - anchors: What the client trusts, for example ``TestAuthority/anchors``.
    /// - Returns: The question, with the certificates as they were presented, ready to be evaluated.
    /// - Throws: `TLSEndpointError` if `host` is not valid, `TLSConnectionError` if there is no connection,
    ///   `CertificateError` if a presented certificate cannot be read.
    public func trust(forHost host: String, anchors: TrustAnchors) async throws -> Trust {
        let endpoint = try TLSEndpoint(host: host, port: self.port, connectAddress: LoopbackClient.address)
        return try await LoopbackClient.trust(in: endpoint, anchors: anchors)
    }
}

/// The client of every server on 127.0.0.1.
private enum LoopbackClient {
    static let address = "127.0.0.1"

    static func trust(in endpoint: TLSEndpoint, anchors: TrustAnchors) async throws -> Trust {
        var configuration = TLSConnection.Configuration()
        // The server is this process: where it is late, the machine is busy.
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
