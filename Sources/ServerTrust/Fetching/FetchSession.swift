//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The fetches of one evaluation: their limits and their records.
final class FetchSession: Sendable {
    let options: FetchOptions
    private let fetcher: any ResourceFetcher
    private let deadline: ContinuousClock.Instant
    private let state: Mutex<State>

    private struct State: Sendable {
        var remaining: Int
        /// The octets that may still arrive. Fetches in progress reserve theirs in advance.
        var remainingSize: Int
        var begun = 0
        var records: [(order: Int, record: FetchRecord)] = []
    }

    init(_ fetcher: any ResourceFetcher, _ options: FetchOptions) {
        self.fetcher = fetcher
        self.options = options
        self.deadline = ContinuousClock.now + options.deadline
        self.state = Mutex(State(remaining: max(0, options.maximumFetches), remainingSize: options.maximumTotalSize))
    }

    /// The records so far, in the order of their starts.
    var records: [FetchRecord] {
        self.state.withLock { $0.records.sorted { $0.order < $1.order }.map(\.record) }
    }

    /// Reserves a place in the record, for ``finish(_:url:kind:certificate:outcome:)``.
    func begin() -> Int {
        self.state.withLock { state in
            state.begun += 1
            return state.begun
        }
    }

    func finish(
        _ order: Int, url: String, kind: ResourceKind, certificate: Certificate, outcome: FetchRecord.Outcome
    ) {
        let record = FetchRecord(url: url, kind: kind, certificate: certificate, outcome: outcome)
        self.state.withLock { $0.records.append((order, record)) }
    }

    /// Fetches a resource within the remaining limits.
    func fetch(_ url: String, _ kind: ResourceKind, body: [UInt8]? = nil) async throws(ResourceError) -> [UInt8] {
        guard !Task.isCancelled else { throw ResourceError(.cancelled, "the evaluation was cancelled") }
        let timeout = min(self.options.timeout, self.deadline - ContinuousClock.now)
        guard timeout > .zero else { throw ResourceError(.limitReached, "the time for all fetches is over") }
        guard let maximumSize = self.spend(upTo: kind.maximumSize) else {
            throw ResourceError(.limitReached, "the number or the size of all fetches is used up")
        }
        let request = ResourceRequest(url: url, kind: kind, body: body, maximumSize: maximumSize, timeout: timeout)
        let answer = await self.race(request)
        let size = (try? answer.get().count) ?? 0
        self.state.withLock { $0.remainingSize += max(0, maximumSize - size) }
        // A fetcher that exceeds the limit is not trusted with the answer either.
        guard size <= maximumSize else { throw ResourceError(.tooLarge, "the answer is too large") }
        return try answer.get()
    }

    /// Reserves one fetch and its octets from the remaining limits. Returns `nil` if nothing is left.
    private func spend(upTo size: Int) -> Int? {
        self.state.withLock { state in
            guard state.remaining > 0, state.remainingSize > 0 else { return nil }
            let size = min(size, state.remainingSize)
            state.remaining -= 1
            state.remainingSize -= size
            return size
        }
    }

    /// Runs the fetcher with a timer. The fetcher knows its timeout, and is cancelled if it ignores it.
    private func race(_ request: ResourceRequest) async -> Result<[UInt8], ResourceError> {
        let fetcher = self.fetcher
        return await withTaskGroup(of: Result<[UInt8], ResourceError>.self) { group in
            group.addTask {
                do throws(ResourceError) {
                    return .success(try await fetcher.fetch(request))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                let isOver: Void? = try? await Task.sleep(for: request.timeout)
                return .failure(
                    isOver == nil
                        ? ResourceError(.cancelled, "the evaluation was cancelled")
                        : ResourceError(.timedOut, "it took too long"))
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failure(ResourceError(.cancelled, "the evaluation was cancelled"))
        }
    }
}
