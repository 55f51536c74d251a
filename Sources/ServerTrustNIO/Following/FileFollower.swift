//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOPosix
import ServerTrust

/// A follower of files, which keeps the trust of a running program as current as its files.
///
/// ```swift
/// try await FileFollower().follow(
///     .certificates("/etc/app/roots.pem"), .revocationLists("/etc/app/revoked.crl")
/// ) { roots, lists in
///     try gate.update { settings in
///         settings.anchors = .only(roots)
///         settings.revocation.lists = lists
///     }
/// }
/// ```
///
/// All files are applied together or not at all. If one of them is missing or not usable, the program keeps what was applied
/// before, and the follower reports the reason once.
///
/// A change is applied when two readings, one interval apart, agree, so that most files that are still being written are left
/// alone. Only renaming is safe, also at the beginning and with a writer that pauses. To change several files at once, keep them
/// in one folder, and replace a symbolic link to it.
public struct FileFollower: Sendable {
    /// An event of a follower.
    public enum Event: Sendable {
        /// The content of the files is in force. Occurs at the beginning and after each change.
        case applied
        /// A change is not usable, for this reason. The earlier content stays in force. Occurs once for each reason.
        case kept(any Error)
    }

    private let interval: Duration
    private let clock: any Clock<Duration>
    private let report: @Sendable (Event) -> Void

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - interval: The time between two readings, at least a millisecond.
    ///   - clock: The clock of the intervals.
    ///   - report: Receives the events, one after the other. Programs usually log them.
    public init(
        every interval: Duration = .seconds(10), clock: any Clock<Duration> = ContinuousClock(),
        report: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.interval = max(interval, .milliseconds(1))
        self.clock = clock
        self.report = report
    }

    /// Applies the content of files now and after each change, until the task is canceled.
    ///
    /// - Parameters:
    ///   - file: The files, in the order of the parameters of `apply`.
    ///   - apply: Puts the content into force, such as by ``ServerTrustGate/update(_:)``. If it throws, the change is not usable, so
    ///     it must throw before it changes anything. It is called again at each reading until the content is usable.
    /// - Throws: ``FollowedFileError`` or the error of `apply` if the content is not usable at the beginning, because a program
    ///   must not begin without it. Later errors are reported and not thrown.
    public func follow<each Value: Sendable>(
        _ file: repeat FollowedFile<each Value>, apply: (repeat each Value) throws -> Void
    ) async throws {
        var sources: [FollowedSource] = []
        repeat sources.append(FollowedSource(each file))
        func put(_ contents: [[UInt8]]) throws {
            var rest = contents[...]
            try apply(repeat try (each file).value(of: &rest))
            self.report(.applied)
        }
        var memory = FollowedContents(try await sources.read())
        try put(memory.inForce)
        while (try? await self.clock.sleep(for: self.interval)) != nil {
            do {
                guard let contents = memory.settledChange(try await sources.read()) else { continue }
                try put(contents)
                memory.putInForce(contents)
            } catch {
                if Task.isCancelled { return }
                memory.forgetLatest()
                if memory.isNew(error) { self.report(.kept(error)) }
            }
        }
    }
}

/// The part of a followed file that does not depend on its type.
private struct FollowedSource: Sendable {
    let path: String
    let maximumSize: Int

    init(_ file: FollowedFile<some Sendable>) {
        self.path = file.path
        self.maximumSize = file.maximumSize
    }
}

extension [FollowedSource] {
    /// Reads all files on a thread that may block.
    fileprivate func read() async throws -> [[UInt8]] {
        try await NIOThreadPool.singleton.runIfActive {
            try self.map { source in
                do {
                    return try BoundedFile.read(source.path, maximumSize: source.maximumSize)
                } catch {
                    throw FollowedFileError(path: source.path, cause: error)
                }
            }
        }
    }
}

extension FollowedFile {
    /// Takes the content of this file from those of all, and parses it.
    fileprivate func value(of rest: inout ArraySlice<[UInt8]>) throws -> Value {
        do {
            return try self.parse(rest.popFirst() ?? [])
        } catch {
            throw FollowedFileError(path: self.path, cause: error)
        }
    }
}

/// The contents of all files, at the readings that matter.
private struct FollowedContents {
    private(set) var inForce: [[UInt8]]
    private var latest: [[UInt8]]?
    private var problem: String?

    init(_ contents: [[UInt8]]) { self.inForce = contents }

    /// Returns the contents of a reading if they are a change on which two readings agree.
    mutating func settledChange(_ contents: [[UInt8]]) -> [[UInt8]]? {
        let isSettled = contents == self.latest
        self.latest = contents
        guard contents != self.inForce else {
            self.problem = nil
            return nil
        }
        return isSettled ? contents : nil
    }

    /// Forgets the latest reading, so that two more must agree.
    mutating func forgetLatest() { self.latest = nil }

    mutating func putInForce(_ contents: [[UInt8]]) {
        self.inForce = contents
        self.problem = nil
    }

    /// Returns `true` if the error differs from the one before.
    mutating func isNew(_ error: any Error) -> Bool {
        let text = "\(error)"
        defer { self.problem = text }
        return text != self.problem
    }
}
