//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Runs a TLS server on 127.0.0.1 with certificates of your own while `body` runs.
///
/// The server is shut down when `body` returns or throws, and at once when the task is cancelled. Set a time limit for the test:
/// it cancels the task, so that nothing outlives the test.
///
/// - Parameters:
///   - configuration: The certificates and the TLS settings of the server.
///   - body: Connects to the server.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or `NIOSSLError` or `IOError` if the server cannot be started.
public func withTestServer<Result>(
    _ configuration: TestTLSServer.Configuration,
    _ body: (TestTLSServer) async throws -> Result
) async throws -> Result {
    let server = try await TestTLSServer.start(configuration)
    return try await TestTLSServer.shuttingDown([server]) {
        try await body(server)
    }
}

/// Runs a TLS server on 127.0.0.1 with a fault while `body` runs.
///
/// ```swift
/// try await withTestServer(.expired) { server in
///     #expect(try await !server.trust().evaluate().isTrusted)
/// }
/// ```
///
/// The server is shut down when `body` returns or throws, and at once when the task is cancelled.
///
/// - Parameters:
///   - fault: The fault of the server.
///   - body: Connects to the server.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or an error if a certificate or the server cannot be created.
public func withTestServer<Result>(
    _ fault: TLSFault,
    _ body: (TestTLSServerRange.Target) async throws -> Result
) async throws -> Result {
    let (target, server) = try await TestTLSServerRange.Target.start(fault, FaultCertificates(for: [fault]))
    return try await TestTLSServer.shuttingDown([server]) {
        try await body(target)
    }
}

/// Runs TLS servers on 127.0.0.1 while `body` runs, one for each fault, all below one root.
///
/// The servers are shut down when `body` returns or throws, and at once when the task is cancelled.
///
/// - Parameters:
///   - faults: The faults, one for each server.
///   - body: Connects to the servers.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or an error if a certificate or a server cannot be created.
public func withTestServers<Result>(
    _ faults: [TLSFault] = TLSFault.allCases,
    _ body: (TestTLSServerRange) async throws -> Result
) async throws -> Result {
    let range = try await TestTLSServerRange.start(faults)
    return try await TestTLSServer.shuttingDown(range.servers) {
        try await body(range)
    }
}

extension TestTLSServer {
    /// Shuts servers down after `body` returns or throws.
    ///
    /// - Parameters:
    ///   - servers: The running servers.
    ///   - body: The code that uses the servers.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or `IOError` if a socket cannot be closed.
    static func shuttingDown<Result>(
        _ servers: [TestTLSServer],
        after body: () async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await withTaskCancellationHandler(operation: body) {
                // A cancelled caller that still waits for a server stops waiting.
                for server in servers { server.close() }
            }
        } catch {
            // The test must report the first error.
            try? await Self.shutdown(servers)
            throw error
        }
        try await Self.shutdown(servers)
        return result
    }

    /// Shuts all servers down, even after one of them fails to.
    ///
    /// - Parameter servers: The servers.
    /// - Throws: The first `IOError`.
    static func shutdown(_ servers: [TestTLSServer]) async throws {
        var firstError: (any Error)?
        for server in servers {
            do {
                try await server.shutdown()
            } catch {
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
    }
}
