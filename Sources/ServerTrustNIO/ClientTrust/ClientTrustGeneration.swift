//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrust

/// The settings of a server's gate from when they were set to when they are replaced.
final class ClientTrustGeneration: Sendable {
    let settings: ClientTrustSettings
    private let configuration: TLSConfiguration

    /// - Throws: `NIOSSLError` or `BoringSSLError` if no context can be made, so that it shows at once and not with the
    ///   first client.
    init(_ settings: ClientTrustSettings) throws {
        self.settings = settings
        self.configuration = try settings.serverConfiguration()
        _ = try NIOSSLContext(configuration: self.configuration)
    }

    /// A context for one connection. Shared ones would let clients resume sessions that were judged by other settings, or
    /// not judged at all.
    func context() throws -> NIOSSLContext {
        try NIOSSLContext(configuration: self.configuration)
    }
}

extension ClientTrustSettings {
    fileprivate func serverConfiguration() throws -> TLSConfiguration {
        var configuration = self.tls
        // Files are read once and not with every client.
        configuration.certificateChain = try configuration.certificateChain.flatMap { source in
            guard case .file(let path) = source else { return [source] }
            return try NIOSSLCertificate.fromPEMFile(path).map { .certificate($0) }
        }
        if case .file(let path)? = configuration.privateKey {
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: path, format: .pem))
        }
        let minimum = max(TLSProtocolVersion(configuration.minimumTLSVersion), .tls12)
        configuration.minimumTLSVersion = TLSVersion(atLeast: minimum)
        // The callback is never called with `.none`.
        configuration.certificateVerification =
            self.presentation == .required ? .noHostnameVerification : .optionalVerification
        // The callback decides. Roots are there for their names alone.
        let named = self.sendsAuthorityNames ? self.anchors.certificates : []
        configuration.trustRoots = .certificates(
            try named.map { try NIOSSLCertificate(bytes: $0.derRepresentation, format: .der) })
        configuration.additionalTrustRoots = []
        configuration.sendCANameList = !named.isEmpty
        configuration.renegotiationSupport = .none
        return configuration
    }
}
