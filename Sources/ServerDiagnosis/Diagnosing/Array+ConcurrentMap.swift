//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Array where Element: Sendable {
    /// Maps all elements concurrently.
    ///
    /// - Parameter work: Maps one element. The first error cancels the others.
    /// - Returns: The results, in the order of the elements.
    func concurrentMap<Result: Sendable>(
        _ work: @escaping @Sendable (Element) async throws -> Result
    ) async rethrows -> [Result] {
        // Most names have a single address.
        if self.count == 1, let only = self.first { return [try await work(only)] }
        return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            for (index, element) in self.enumerated() { group.addTask { (index, try await work(element)) } }
            var results: [(Int, Result)] = []
            for try await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
