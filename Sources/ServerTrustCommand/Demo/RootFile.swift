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

/// The demo's root certificate in a file of its own, for curl and browsers, as long as the servers run.
struct RootFile {
    /// Where it is.
    let path: String

    /// Writes a root to a new file in the folder for temporary files.
    ///
    /// - Throws: ``CommandError`` when it cannot be written.
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
    /// - Throws: ``CommandError`` when it is still there.
    func remove() throws {
        do {
            try FileManager.default.removeItem(atPath: self.path)
        } catch {
            throw CommandError("cannot remove \(self.path): remove it by hand")
        }
    }
}
