//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation

/// A folder that exists as long as a test needs it.
package struct TemporaryFolder: Sendable {
    package let url: URL

    package func path(_ name: String) -> String { self.url.appendingPathComponent(name).path }

    /// Writes a file and returns its path.
    package func file(_ name: String, contents: some Collection<UInt8>) throws -> String {
        try Data(contents).write(to: self.url.appendingPathComponent(name))
        return self.path(name)
    }

    /// Writes a text file and returns its path.
    package func file(_ name: String, _ text: String) throws -> String {
        try self.file(name, contents: Array(text.utf8))
    }
}

/// Runs a test with a folder of its own.
package func withTemporaryFolder<Result>(_ body: (TemporaryFolder) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("servertrust-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: url) }
    return try await body(TemporaryFolder(url: url))
}
