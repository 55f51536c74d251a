//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL

/// A range of TLS servers on 127.0.0.1, one for each fault, under one throw-away root.
///
/// Like a shooting range: every target is known beforehand, so that a client can be tried on all of them.
public struct TestTLSServerRange: Sendable {
    /// One server of a range.
    public struct Target: Sendable {
        /// What is wrong, or right, with the server.
        public let fault: TLSFault

        /// The port on 127.0.0.1.
        public let port: Int

        /// The certificates the server sends in DER, its own first.
        public let certificates: [[UInt8]]

        /// The DNS name or IP address the server's certificate is to be checked for.
        public var referenceIdentity: String {
            self.fault.referenceIdentity
        }

        /// What a client has to make of the server.
        public var expectation: TLSFault.Expectation {
            self.fault.expectation
        }
    }

    /// The servers, in the order of the faults asked for.
    public let targets: [Target]

    /// The root to trust.
    public let root: TestCertificate

    private let servers: [TestTLSServer]

    /// The root to trust, in DER.
    public var rootDER: [UInt8] {
        self.root.der
    }

    /// The root to trust, in PEM.
    public var rootPEM: String {
        self.root.pem
    }

    /// The first server with a fault.
    ///
    /// - Parameter fault: The fault.
    /// - Returns: The server, or `nil` if it was not asked for.
    public subscript(fault: TLSFault) -> Target? {
        self.targets.first { $0.fault == fault }
    }

    /// Makes a root and starts a server for each fault.
    ///
    /// - Parameter faults: The faults.
    /// - Returns: The range. Shut it down when done.
    /// - Throws: The error of a certificate that cannot be made or a server that cannot be started. Then none runs.
    public static func start(_ faults: [TLSFault] = TLSFault.allCases) async throws -> TestTLSServerRange {
        let certificates = try await FaultCertificates()
        var targets: [Target] = []
        var servers: [TestTLSServer] = []
        do {
            for fault in faults {
                let (leaf, intermediates) = try certificates.chain(for: fault)
                let chain = [leaf.der] + intermediates.map(\.der)
                var configuration = TestTLSServer.Configuration(certificates: chain, privateKey: leaf.privateKey)
                configuration.maximumTLSVersion = fault == .tls10Only ? .tlsv1 : nil
                configuration.response = "\(fault.rawValue): \(fault.summary)\n"
                let server = try await TestTLSServer.start(configuration)
                servers.append(server)
                targets.append(Target(fault: fault, port: server.port, certificates: chain))
            }
        } catch {
            try await Self.shutdown(servers)
            throw error
        }
        return TestTLSServerRange(targets: targets, root: certificates.authority.root, servers: servers)
    }

    /// Stops all servers.
    ///
    /// - Throws: `IOError` if closing a socket fails.
    public func shutdown() async throws {
        try await Self.shutdown(self.servers)
    }

    private static func shutdown(_ servers: [TestTLSServer]) async throws {
        for server in servers {
            try await server.shutdown()
        }
    }
}
