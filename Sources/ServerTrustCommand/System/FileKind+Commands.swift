//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

extension FileKind {
    /// Returns the command that reads files of this kind, as a sentence, or `nil` if there is none.
    func command(for path: String) -> String? {
        switch self {
        case .zip: "`servertrust ats lint \(path)` reads the Info.plists of an app in it."
        case .propertyList:
            "`servertrust ats lint \(path)` reads an Info.plist, and `servertrust pins check \(path)` its pins."
        case .encoded(.certificate), .bareBase64(.certificate): Self.evaluation(of: path)
        case .pem(let labels) where labels.contains { $0.hasSuffix("CERTIFICATE") }: Self.evaluation(of: path)
        case .encoded, .pem, .bareBase64: "`servertrust show \(path)` shows what is in it."
        case .text: "`servertrust scan \(path)` tests the servers of a list, and `servertrust log \(path)` reads a log."
        case .empty, .page, .utf16, .unknown: nil
        }
    }

    private static func evaluation(of path: String) -> String {
        "`servertrust evaluate --chain \(path) --host NAME` evaluates a chain."
    }
}

/// The error for a file that was given in place of something else.
enum MisplacedFile {
    /// The extensions of files that are no top-level domains.
    private static let extensions: Set<String> = [
        "pem", "crt", "cer", "der", "key", "csr", "crl", "p7b", "p12", "pfx", "plist", "txt", "log", "csv", "json",
        "ndjson", "ipa",
    ]

    /// Refuses the name of an existing file in place of a server.
    ///
    /// - Throws: ``CommandError`` with the command that reads the file.
    static func refuse(asServer text: String) throws(CommandError) {
        let ending = text.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard Self.extensions.contains(ending), BoundedFile.exists(text), !BoundedFile.isFolder(text),
            let contents = try? BoundedFile.read(text)
        else { return }
        let kind = FileKind(of: contents)
        let advice = kind.command(for: text).map { " \($0)" } ?? ""
        throw CommandError("\(text): this is a file, \(kind.title), and no server.\(advice)")
    }
}
