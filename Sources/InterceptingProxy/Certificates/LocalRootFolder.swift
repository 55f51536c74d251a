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

/// The folder with the root of one user's proxy. Others can neither enter it nor read what is in it.
///
/// The folder has mode 0700 and its file 0600, and both are refused when others have permissions for them, or when they belong to
/// another user. The file is written beside its place and moved there as a whole.
package struct LocalRootFolder: Sendable {
    /// The folder.
    package let path: String

    /// A folder.
    ///
    /// - Parameter path: The folder. It is made, with mode 0700, when a root is.
    package init(_ path: String) { self.path = path }

    /// The file with the root and its key.
    package var file: String { self.path + "/root.pem" }

    /// The root of the folder, made where there is not one yet.
    ///
    /// - Parameters:
    ///   - names: The hosts that the root certifies, with those below them; empty for every host. A root that is there must have been
    ///     made with the same names.
    ///   - now: The time.
    /// - Throws: ``LocalRootError``
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
        // Of two programs that begin at the same time one makes it.
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
