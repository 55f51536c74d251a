//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Services
public import Logging
public import ServerTrustNIO
public import ServiceLifecycle

/// A service that keeps the trust of gates as current as files, until the program shuts down.
///
/// ```swift
/// let roots = FileFollowingService(.certificates("/etc/app/roots.pem"), logger: logger) { roots in
///     try gate.update { $0.anchors = .only(roots) }
/// }
/// let group = ServiceGroup(services: [roots, server], logger: logger)
/// ```
///
/// The service fails if the files are not usable at the beginning. Later it keeps the last usable content, and logs the reason.
public struct FileFollowingService: Service {
    private let body: @Sendable () async throws -> Void

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - file: The files, in the order of the parameters of `apply`.
    ///   - interval: The time between two readings.
    ///   - clock: The clock of the intervals.
    ///   - logger: The log of changes (notice) and of files that are not usable (error).
    ///   - apply: Puts the content of the files into force. It must not block for long.
    public init<each Value: Sendable>(
        _ file: repeat FollowedFile<each Value>, every interval: Duration = .seconds(10),
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        apply: @escaping @Sendable (repeat each Value) throws -> Void
    ) {
        let follower = FileFollower(every: interval, clock: clock) { event in
            switch event {
            case .applied: logger.notice("The trust of followed files is in force.")
            case .kept(let error):
                logger.error(
                    "A followed file is not usable. Its earlier content stays in force.",
                    metadata: ["reason": "\(error)"])
            }
        }
        self.body = { try await follower.follow(repeat each file, apply: apply) }
    }

    /// Follows the files until the program shuts down or the task is canceled.
    public func run() async throws { try await cancelWhenGracefulShutdown(self.body) }
}
#endif
