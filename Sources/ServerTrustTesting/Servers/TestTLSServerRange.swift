//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
public import ServerTrust

/// A range of TLS servers on 127.0.0.1, one for each fault, under one throw-away root.
///
/// Like a shooting range: every target is known beforehand, so that a client can be tried on all of them.
public struct TestTLSServerRange: Sendable {
    /// One server of a range.
    public struct Target: LoopbackServer {
        /// What is wrong, or right, with the server.
        public let fault: TLSFault

        /// The port on 127.0.0.1.
        public let port: Int

        /// The certificates the server sends in DER, its own first.
        public let certificates: [[UInt8]]

        /// The root of the range as all that a client trusts.
        public let anchors: TrustAnchors

        /// The DNS name or IP address a client asks for: ``referenceIdentity`` under the name every server has it.
        public var host: String {
            self.referenceIdentity
        }

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

    let servers: [TestTLSServer]

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
    /// - Throws: `IOError` if closing a socket fails.
    public func shutdown() async throws {
        try await TestTLSServer.shutdown(self.servers)
    }
}

extension TestTLSServerRange.Target {
    /// Starts the server of a fault.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - certificates: What issues its certificates.
    /// - Returns: What there is to know about the server, and the server itself.
    /// - Throws: The error of a certificate that cannot be made or a server that cannot be started.
    static func start(
        _ fault: TLSFault,
        _ certificates: FaultCertificates
    ) async throws -> (target: Self, server: TestTLSServer) {
        let (leaf, intermediates) = try certificates.chain(for: fault)
        var configuration = TestTLSServer.Configuration(leaf, sending: intermediates)
        configuration.maximumTLSVersion = fault == .tls10Only ? .tlsv1 : nil
        configuration.response = "\(fault.rawValue): \(fault.summary)\n"
        let anchors = try certificates.authority.anchors
        let server = try await TestTLSServer.start(configuration)
        let target = Self(
            fault: fault, port: server.port, certificates: configuration.certificates, anchors: anchors)
        return (target, server)
    }
}
