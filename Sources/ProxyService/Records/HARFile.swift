//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import InterceptingProxy
import ServerReports
import Synchronization
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes requests to an HTTP Archive, which is whole after each of them: an entry is written over the end, with a new end.
package final class HARFile: InterceptingProxyObserver {
    /// Where an archive is kept.
    struct Storage: Sendable {
        /// Writes octets at an offset.
        let write: @Sendable (_ octets: [UInt8], _ offset: Int) throws -> Void
        /// Cuts what is behind an offset.
        let cut: @Sendable (_ offset: Int) throws -> Void
    }

    private struct State {
        var isEmpty = true
        /// Where the end begins.
        var offset: Int
        var hasFailed = false
        var isFull = false
    }

    /// As much as programs that read archives open.
    static let limit = 256 << 20
    private static let end = Array("\n]}}\n".utf8)
    private static var beginning: [UInt8] {
        Array(
            "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"servertrust\",\"version\":\"\(ReportTool.version)\"},\"entries\":[\n"
                .utf8)
    }

    private let storage: Storage
    private let limit: Int
    private let complain: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// An archive without entries.
    ///
    /// - Parameters:
    ///   - storage: Where it is kept.
    ///   - limit: The octets that it may have.
    ///   - complain: Hears of what is lost, once until writing succeeds again.
    /// - Throws: The error of the storage.
    init(
        _ storage: Storage, limit: Int = HARFile.limit, complain: @escaping @Sendable (String) -> Void
    ) throws {
        (self.storage, self.limit, self.complain) = (storage, limit, complain)
        self.state = Mutex(State(offset: Self.beginning.count))
        try storage.write(Self.beginning + Self.end, 0)
    }

    /// An archive in a file, which is made for this user alone. A file that is there stays as it is.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - complain: Hears of requests that are lost.
    /// - Throws: ``ProxyServiceError``
    package convenience init(_ path: String, complain: @escaping @Sendable (String) -> Void) throws {
        do {
            let file = try FileDescriptor.open(
                path, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec], permissions: [.ownerReadWrite])
            let storage = Storage(
                write: { octets, offset in _ = try file.writeAll(toAbsoluteOffset: Int64(offset), octets) },
                cut: { try file.resize(to: Int64($0)) })
            try self.init(storage) { complain("\(path): \($0)") }
        } catch Errno.fileExists {
            throw ProxyServiceError("\(path) is there already; remove it, or name another file")
        } catch {
            throw ProxyServiceError("cannot write the archive \(path): \(error)")
        }
    }

    package func proxy(_ event: InterceptingProxyEvent) {
        guard case .request(let request) = event, let entry = HAREntry(request, end: Date()),
            let octets = try? JSONText.line(entry)
        else { return }
        self.state.withLock { self.append(octets, to: &$0) }
    }

    private func append(_ entry: [UInt8], to state: inout State) {
        let octets = (state.isEmpty ? [] : Array(",\n".utf8)) + entry
        guard octets.count + Self.end.count <= self.limit - state.offset else {
            if !state.isFull { self.complain("the archive is full; requests from now on are not in it") }
            state.isFull = true
            return
        }
        do {
            try self.storage.write(octets + Self.end, state.offset)
            (state.isEmpty, state.hasFailed) = (false, false)
            state.offset += octets.count
        } catch {
            if !state.hasFailed { self.complain("a request is not in the archive: \(error)") }
            state.hasFailed = true
            // What was written in part is taken back: the end was there before.
            try? self.storage.write(Self.end, state.offset)
            try? self.storage.cut(state.offset + Self.end.count)
        }
    }
}

/// Hands events to several observers.
package struct ProxyObservers: InterceptingProxyObserver {
    private let observers: [any InterceptingProxyObserver]

    /// - Parameter observers: Who hears of each event, in this order.
    package init(_ observers: [any InterceptingProxyObserver]) { self.observers = observers }

    package func proxy(_ event: InterceptingProxyEvent) {
        for observer in self.observers { observer.proxy(event) }
    }
}
