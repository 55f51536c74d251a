//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Runs a TLS server on 127.0.0.1 with certificates of your own for as long as `body` does.
///
/// The server is shut down when `body` returns or throws, and at once when the task is cancelled. Give the test a time
/// limit, which cancels it, and nothing outlives it.
///
/// - Parameters:
///   - configuration: The server's certificates and what it speaks.
///   - body: Connects to the server.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; `NIOSSLError` or `IOError` if the server cannot be started.
public func withTestServer<Result>(
    _ configuration: TestTLSServer.Configuration,
    _ body: (TestTLSServer) async throws -> Result
) async throws -> Result {
    let server = try await TestTLSServer.start(configuration)
    return try await TestTLSServer.shuttingDown([server]) {
        try await body(server)
    }
}

/// Runs a TLS server on 127.0.0.1 with a fault for as long as `body` does.
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
///   - fault: What is wrong, or right, with the server.
///   - body: Connects to the server.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, or the error of a certificate or server that cannot be made.
public func withTestServer<Result>(
    _ fault: TLSFault,
    _ body: (TestTLSServerRange.Target) async throws -> Result
) async throws -> Result {
    let (target, server) = try await TestTLSServerRange.Target.start(fault, FaultCertificates(for: [fault]))
    return try await TestTLSServer.shuttingDown([server]) {
        try await body(target)
    }
}

/// Runs TLS servers on 127.0.0.1, one for each fault and all under one root, for as long as `body` does.
///
/// The servers are shut down when `body` returns or throws, and at once when the task is cancelled.
///
/// - Parameters:
///   - faults: What is wrong, or right, with the servers.
///   - body: Connects to the servers.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, or the error of a certificate or server that cannot be made.
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
    /// Shuts servers down after `body`, however it ends.
    ///
    /// - Parameters:
    ///   - servers: The servers, which run.
    ///   - body: What the servers run for.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; else `IOError` if closing a socket fails.
    static func shuttingDown<Result>(
        _ servers: [TestTLSServer],
        after body: () async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await withTaskCancellationHandler(operation: body) {
                // A caller that waits for a server, in spite of being cancelled, waits no longer.
                for server in servers { server.close() }
            }
        } catch {
            // What went wrong first is what the test is to report.
            try? await Self.shutdown(servers)
            throw error
        }
        try await Self.shutdown(servers)
        return result
    }

    /// Shuts all servers down, also those behind one that fails to.
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
