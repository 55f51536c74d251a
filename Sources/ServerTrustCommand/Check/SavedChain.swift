//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The file of `--save-chain`.
enum SavedChain {
    /// Writes certificates in PEM and overwrites the file.
    ///
    /// - Parameters:
    ///   - certificates: The certificates in DER, readable or not.
    ///   - path: The file.
    /// - Throws: ``CommandError`` if the file cannot be written.
    static func write(_ certificates: [[UInt8]], to path: String) throws {
        let text = certificates.map(Self.pem).joined()
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandError("cannot write the chain to \(path): give a file in a folder that can be written to")
        }
    }

    private static func pem(_ der: [UInt8]) -> String {
        let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
    }
}
