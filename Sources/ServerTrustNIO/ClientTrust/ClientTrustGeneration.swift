//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrust
import TLSWire

/// The settings of a server's gate between two changes.
final class ClientTrustGeneration: Sendable {
    let settings: ClientTrustSettings
    let judge: ClientJudge
    /// The context that all connections without an attempt to resume a session share.
    private let shared: NIOSSLContext
    private let configuration: TLSConfiguration

    /// Creates a generation, and its context at once, so that unusable settings fail before the first client.
    ///
    /// - Throws: `NIOSSLError` or `BoringSSLError` if no context can be made.
    init(_ settings: ClientTrustSettings) throws {
        self.settings = settings
        self.judge = ClientJudge(settings)
        self.configuration = try settings.serverConfiguration()
        self.shared = try NIOSSLContext(configuration: self.configuration)
    }

    /// Returns the context for a connection.
    ///
    /// NIOSSL's servers resume a session without asking for a verdict, by tickets and identifiers of the same context. A client
    /// that brings one gets a context of its own, which knows no session. A context for every connection would be safe as well, but
    /// would take 9 KiB of memory each.
    ///
    /// - Parameter hello: The ClientHello, or `nil` if it cannot be read.
    func context(for hello: ReceivedClientHello?) throws -> NIOSSLContext {
        let maximum = self.configuration.maximumTLSVersion.map(TLSProtocolVersion.init) ?? .tls13
        guard let hello, !hello.mayResume(upTo: maximum) else {
            return try NIOSSLContext(configuration: self.configuration)
        }
        return self.shared
    }
}

extension ClientTrustSettings {
    fileprivate func serverConfiguration() throws -> TLSConfiguration {
        var configuration = self.tls
        // Files are read once and not for every client.
        configuration.certificateChain = try configuration.certificateChain.flatMap { source in
            guard case .file(let path) = source else { return [source] }
            return try NIOSSLCertificate.fromPEMFile(path).map { .certificate($0) }
        }
        if case .file(let path)? = configuration.privateKey {
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: path, format: .pem))
        }
        let minimum = max(TLSProtocolVersion(configuration.minimumTLSVersion), .tls12)
        configuration.minimumTLSVersion = TLSVersion(atLeast: minimum)
        // With `.none` the callback is never called.
        configuration.certificateVerification =
            self.presentation == .required ? .noHostnameVerification : .optionalVerification
        // The callback decides. The roots supply only their names.
        let named = self.sendsAuthorityNames ? self.anchors.certificates : []
        configuration.trustRoots = .certificates(
            try named.map { try NIOSSLCertificate(bytes: $0.derRepresentation, format: .der) })
        configuration.additionalTrustRoots = []
        configuration.sendCANameList = !named.isEmpty
        configuration.renegotiationSupport = .none
        return configuration
    }
}
