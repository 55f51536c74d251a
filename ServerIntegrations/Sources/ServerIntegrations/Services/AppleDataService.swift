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
/// let service = AppleDataService(logger: logger) { data in
///     let anchors = TrustAnchors.store(try .apple(data))
///     gate.update { settings in
///         settings.anchors = anchors
///         settings.transparency = data.transparency(at: .now)
///         settings.extendedValidation = data.extendedValidation
///     }
/// }
/// ```
///
/// Leave out `anchors` if the gate trusts roots of its own. No other service may set the same properties of a gate: each would undo
/// what the other has set.
///
/// The age of the log list is computed when a configuration is created. `apply` is therefore called each time, even if the data
/// have not changed. Data with an older part than those in force are refused. The service fetches nothing. Run
/// `servertrust apple-data update` from a timer.
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
        let first = try self.read()
        try self.apply(first)
        await cancelWhenGracefulShutdown {
            var inForce = first.parts
            while (try? await self.clock.sleep(for: self.interval)) != nil {
                do {
                    inForce = try self.renew(inForce)
                } catch {
                    self.logger.error(
                        "Apple's data are not usable. The earlier data stay in force.", metadata: ["reason": "\(error)"]
                    )
                }
            }
        }
    }

    private func renew(_ inForce: AppleTrustData.Parts) throws -> AppleTrustData.Parts {
        let data = try self.read()
        guard !data.parts.isOlder(than: inForce) else { throw OlderAppleData() }
        try self.apply(data)
        return data.parts
    }
}

extension AppleTrustData.Parts {
    /// `true` if a part is older than the same part of other data. A status list that is missing blocks no root.
    fileprivate func isOlder(than other: AppleTrustData.Parts) -> Bool {
        self.roots.date < other.roots.date || self.logList.date < other.logList.date
            || (other.rootStatus?.date ?? .distantPast) > (self.rootStatus?.date ?? .distantPast)
    }
}

/// The error for data that are older than those in force, such as the built-in data while the folder is missing.
private struct OlderAppleData: Error, CustomStringConvertible {
    let description =
        "A part of the data is older than the one in force. Restore the newer folder, or restart the program."
}
#endif
