//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Services
public import Logging
public import ServerTrust
public import ServiceLifecycle

/// A service that reads Apple's data again, so that a program that runs for months judges by current roots and logs.
///
/// ```swift
/// let data = AppleDataService(logger: logger) { data in
///     let trust = try TrustConfiguration.apple(data).fetchingIssuers()
///     gate.update { $0.trust = trust }
/// }
/// ```
///
/// The age of the log list is computed when a configuration is created. `apply` is therefore called each time, even if the data
/// have not changed. The service fetches nothing. Run `servertrust apple-data update` from a timer, or replace the folder.
public struct AppleDataService: Service {
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let read: @Sendable () throws -> AppleTrustData
    private let apply: @Sendable (AppleTrustData) throws -> Void

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - interval: The time between two readings. Apple's systems look twice a day.
    ///   - clock: The clock of the intervals.
    ///   - logger: The log of data that are not usable (error).
    ///   - read: Reads the data.
    ///   - apply: Puts the data into force, usually in a gate.
    public init(
        every interval: Duration = .seconds(43_200), clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        read: @escaping @Sendable () throws -> AppleTrustData = { try .atHand() },
        apply: @escaping @Sendable (AppleTrustData) throws -> Void
    ) {
        self.interval = max(interval, .milliseconds(1))
        self.clock = clock
        self.logger = logger
        self.read = read
        self.apply = apply
    }

    /// Applies the data at the beginning and after each interval, until the program shuts down or the task is canceled.
    ///
    /// - Throws: The error of `read` or `apply` at the beginning. Later the earlier data stay in force, and the error is logged.
    public func run() async throws {
        try self.apply(try self.read())
        await cancelWhenGracefulShutdown {
            while (try? await self.clock.sleep(for: self.interval)) != nil {
                do {
                    try self.apply(try self.read())
                } catch {
                    self.logger.error(
                        "Apple's data are not usable. The earlier data stay in force.", metadata: ["reason": "\(error)"]
                    )
                }
            }
        }
    }
}
#endif
