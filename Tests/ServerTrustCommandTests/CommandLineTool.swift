//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

extension CommandLineTool {
    /// Runs the built command.
    static func servertrust(_ arguments: [String], environment: [String: String] = [:]) async throws -> Finished {
        try await self.run(try self.servertrustPath(), arguments, environment: environment)
    }

    /// The path of the built command, beside the test bundle.
    static func servertrustPath() throws -> String {
        if let path = ProcessInfo.processInfo.environment["SERVERTRUST"] { return path }
        let bundles = [Bundle.main.executableURL] + Bundle.allBundles.map { Optional($0.bundleURL) }
        let folders = bundles.compactMap { $0?.deletingLastPathComponent() }
        let candidates = folders.map { $0.appendingPathComponent("servertrust").path }
        return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
    }
}
