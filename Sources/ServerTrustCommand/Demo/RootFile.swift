//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file with the demo's root certificate for curl and browsers, which exists while the servers run.
struct RootFile {
    let path: String

    /// Writes a root to a new file in the folder for temporary files.
    ///
    /// - Throws: ``CommandError`` if the file cannot be written.
    init(root: Certificate) throws {
        let folder = FileManager.default.temporaryDirectory
        let url = folder.appendingPathComponent("servertrust-demo-\(UUID().uuidString.prefix(8)).pem")
        do {
            try Data(root.pemRepresentation.utf8).write(to: url, options: .withoutOverwriting)
        } catch {
            throw CommandError("cannot write the root to \(url.path): set TMPDIR to a folder that can be written to")
        }
        self.path = url.path
    }

    /// Removes the file.
    ///
    /// - Throws: ``CommandError`` if the file cannot be removed.
    func remove() throws {
        do {
            try FileManager.default.removeItem(atPath: self.path)
        } catch {
            throw CommandError("cannot remove \(self.path): remove it by hand")
        }
    }
}
