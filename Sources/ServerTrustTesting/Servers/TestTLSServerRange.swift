//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
public import ServerTrust

/// A range of TLS servers on 127.0.0.1, one for each fault, below one throw-away root.
///
/// As on a shooting range, every target is known in advance, so that a client can be tested against all of them.
public struct TestTLSServerRange: Sendable {
    /// A server of a range.
    ///
    /// A client that trusts ``anchors`` and connects to ``host`` at ``port`` on 127.0.0.1 must reach the verdict ``expectation``.
    public struct Target: LoopbackServer {
        /// The fault of the server.
        public let fault: TLSFault

        /// The port on 127.0.0.1.
        public let port: Int

        /// The certificates that the server sends, in DER, its own first.
        public let certificates: [[UInt8]]

        /// The root of the range, which is the only anchor of a client.
        public var anchors: TrustAnchors { self.configuration.anchors }

        /// The configuration of a client, with ``anchors`` and Apple's rules.
        public let configuration: TrustConfiguration

        /// The name that a client connects to, equal to ``referenceIdentity``.
        public var host: String {
            self.referenceIdentity
        }

        /// The DNS name or IP address that a client checks the server's certificate against.
        public var referenceIdentity: String {
            self.fault.referenceIdentity
        }

        /// The correct verdict of a client about the server.
        public var expectation: TLSFault.Expectation {
            self.fault.expectation
        }
    }

    /// The servers, in the order of the requested faults.
    public let targets: [Target]

    /// The root to trust.
    public let root: TestCertificate

    let servers: [TestTLSServer]

    /// The root to trust, in DER.
    public var rootDER: [UInt8] {
        self.root.der
    }

    /// The root to trust, in PEM.
    public var rootPEM: String {
        self.root.pem
    }

    /// Returns the first server with a fault.
    ///
    /// - Parameter fault: The fault.
    /// - Returns: The server, or `nil` if the range has no server with this fault.
    public subscript(fault: TLSFault) -> Target? {
        self.targets.first { $0.fault == fault }
    }

    /// Creates a root and starts a server for each fault.
    ///
    /// - Parameter faults: The faults.
    /// - Returns: The range. Shut it down after use.
    /// - Throws: An error if a certificate cannot be created or a server cannot be started. No server then keeps running.
    public static func start(_ faults: [TLSFault] = TLSFault.allCases) async throws -> TestTLSServerRange {
        let certificates = try await FaultCertificates(for: faults)
        var targets: [Target] = []
        var servers: [TestTLSServer] = []
        do {
            for fault in faults {
                let (target, server) = try await Target.start(fault, certificates)
                targets.append(target)
                servers.append(server)
            }
        } catch {
            try? await TestTLSServer.shutdown(servers)
            throw error
        }
        return TestTLSServerRange(targets: targets, root: certificates.authority.root, servers: servers)
    }

    /// Stops all servers.
    ///
    /// - Throws: `IOError` if a socket cannot be closed.
    public func shutdown() async throws {
        try await TestTLSServer.shutdown(self.servers)
    }
}

extension TestTLSServerRange.Target {
    /// Starts the server of a fault.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - certificates: The issuer of the server's certificates.
    /// - Returns: The description of the server, and the server itself.
    /// - Throws: An error if a certificate cannot be created or the server cannot be started.
    static func start(
        _ fault: TLSFault,
        _ certificates: FaultCertificates
    ) async throws -> (target: Self, server: TestTLSServer) {
        let (leaf, intermediates) = try certificates.chain(for: fault)
        var configuration = TestTLSServer.Configuration(leaf, sending: intermediates)
        configuration.maximumTLSVersion = fault == .tls10Only ? .tlsv1 : nil
        configuration.response = "\(fault.rawValue): \(fault.summary)\n"
        let trust = TrustConfiguration(anchors: try certificates.authority.anchors)
        let server = try await TestTLSServer.start(configuration)
        let target = Self(
            fault: fault, port: server.port, certificates: configuration.certificates, configuration: trust)
        return (target, server)
    }
}
