//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import ServerTrust

/// A value of `--roots` or `--installed-roots`.
enum RootSource: Sendable, Hashable {
    /// The store of the operating system.
    case system
    /// A file or folder.
    case path(String)

    init(_ text: String) throws {
        guard !text.isEmpty else { throw CommandError("it is empty. Give a file, a folder, or the word system") }
        self = text == "system" ? .system : .path(text)
    }

    /// Parses the path of a file or folder, and refuses the word `system`.
    static func file(_ text: String) throws -> RootSource {
        let source = try RootSource(text)
        guard source.path != nil else {
            throw CommandError("the word system goes with --roots, which tells the roots an administrator added itself")
        }
        return source
    }

    /// The file or folder, or `nil` for the store of the operating system.
    var path: String? {
        switch self {
        case .system: nil
        case .path(let path): path
        }
    }

    /// Reads the certificates.
    ///
    /// - Parameter anchorClass: The class of the anchors of a file or folder.
    /// - Throws: `TrustStoreError` with a description that states the remedy.
    func store(as anchorClass: AnchorClass = .application) throws -> TrustStore {
        switch self {
        case .system: try TrustStore.system()
        case .path(let path): try Self.store(path, anchorClass)
        }
    }

    /// The ignored contents of the files, such as a key, or `nil` if nothing was ignored.
    var besides: String? {
        guard let path else { return nil }
        guard BoundedFile.isFolder(path) else { return Self.besides(path) }
        let names = (try? BoundedFile.entries(of: path)) ?? []
        let files = names.filter { Self.besides(path + "/" + $0) != nil }
        guard let first = files.first, let kind = Self.besides(path + "/" + first) else { return nil }
        return "\(kind) of \(first)" + (files.count > 1 ? ", and more in \(files.count - 1) other files," : "")
    }

    private static func besides(_ file: String) -> String? {
        // The store reports a file that cannot be read.
        guard let contents = try? BoundedFile.read(file) else { return nil }
        return FileKind(of: contents).besideCertificates
    }

    private static func lack(in path: String) -> String? {
        FileKind.lackOfCertificates(in: path) { kind in GivenRevocation.advice(on: kind) }
    }

    /// Reads a store. For a file of another kind the error states how to obtain a certificate.
    private static func store(_ path: String, _ anchorClass: AnchorClass) throws -> TrustStore {
        if let file = try ProfileFile(path) {
            try file.checkInstalls()
            guard !file.profile.roots.isEmpty else { throw CommandError("\(path): the profile installs no root") }
            return try TrustStore(file.profile.roots, anchorClass: anchorClass)
        }
        do {
            return try TrustStore(contentsOf: path, anchorClass: anchorClass)
        } catch {
            guard case .empty = error.code, let fault = Self.lack(in: path) else { throw error }
            throw CommandError(fault)
        }
    }
}
