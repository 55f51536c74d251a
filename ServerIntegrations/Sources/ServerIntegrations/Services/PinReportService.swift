//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Services
public import ServerTrust
public import ServiceLifecycle

/// A service that delivers the waiting reports of a `PinReporter` before the program ends.
///
/// ```swift
/// let reporter = try PinReporter(postingTo: ["https://reports.example.com/pins"])
/// let group = ServiceGroup(services: [PinReportService(reporter), server], logger: logger)
/// ```
///
/// Services end in the reverse order, so the reporter receives the last reports of the services after it.
public struct PinReportService: Service {
    private let reporter: PinReporter

    /// Creates a service.
    ///
    /// - Parameter reporter: The reporter. It accepts no reports once the program shuts down.
    public init(_ reporter: PinReporter) { self.reporter = reporter }

    /// Waits until the program shuts down, and then until the waiting reports are delivered or the task is canceled.
    ///
    /// `ServiceGroupConfiguration.maximumGracefulShutdownDuration` limits the time.
    public func run() async throws {
        try? await gracefulShutdown()
        await self.reporter.finish()
    }
}
#endif
