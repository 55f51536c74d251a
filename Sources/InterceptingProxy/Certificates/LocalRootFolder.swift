//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust
import SystemPackage

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The folder with the root of one user's proxy, which other users cannot enter or read.
///
/// The folder has mode 0700 and its file mode 0600. Both are refused if other users have permissions or own them. The file is
/// written under a temporary name and renamed, so that it is never incomplete.
package struct LocalRootFolder: Sendable {
    package let path: String

    /// Creates a folder.
    ///
    /// - Parameter path: The path of the folder. It is created with mode 0700 when the root is generated.
    package init(_ path: String) { self.path = path }

    /// The path of the file with the root and its key.
    package var file: String { self.path + "/root.pem" }

    /// Returns the root of the folder and generates it if there is none.
    ///
    /// - Parameters:
    ///   - names: The hosts for which the root can sign certificates, including subdomains. An existing root must have the same
    ///     names. Empty for every host, or for the names of an existing root.
    ///   - now: The current time.
    /// - Throws: ``LocalRootError`` if the root cannot be read or generated, has expired, or is for other names.
    package func root(permitting names: [Host] = [], at now: Date) async throws(LocalRootError) -> LocalRoot {
        do {
            return try await self.readOrMake(permitting: names, at: now)
        } catch let error as LocalRootError {
            throw LocalRootError(error.reason, path: self.file)
        } catch let error as FileError {
            throw LocalRootError(.file(error), path: self.file)
        } catch {
            throw LocalRootError(.notMade("\(error)"), path: self.file)
        }
    }

    private func readOrMake(permitting names: [Host], at now: Date) async throws -> LocalRoot {
        try PrivateFolder.makeUnreadableByOthers(self.path)
        let file = try PrivateFile(self.file)
        if let contents = try file.read() { return try self.read(contents, permitting: names, at: now) }
        // If two programs start at the same time, only one of them generates the root.
        let lock = try await file.lock()
        defer { try? lock.close() }
        if let contents = try file.read() { return try self.read(contents, permitting: names, at: now) }
        let root = try LocalRoot(permitting: names, at: now)
        try file.replace(with: try root.fileContents)
        return root
    }

    private func read(
        _ contents: [UInt8], permitting names: [Host], at now: Date
    ) throws(LocalRootError) -> LocalRoot {
        let root = try LocalRoot(fileContents: contents)
        guard now <= root.notAfter else { throw LocalRootError(.expired) }
        guard names.isEmpty || names.map(\.text).sorted() == root.permittedNames else {
            throw LocalRootError(.otherNames(root.permittedNames))
        }
        return root
    }
}
