//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import ServerTrust

/// One value of `--roots` or `--installed-roots`.
enum RootSource: Sendable, Hashable {
    /// The store of the operating system.
    case system
    /// A file or folder.
    case path(String)

    init(_ text: String) throws {
        guard !text.isEmpty else { throw CommandError("it is empty. Give a file, a folder, or the word system") }
        self = text == "system" ? .system : .path(text)
    }

    /// A file or folder.
    static func file(_ text: String) throws -> RootSource {
        let source = try RootSource(text)
        guard source.path != nil else {
            throw CommandError("the word system goes with --roots, which tells the roots an administrator added itself")
        }
        return source
    }

    /// The file or folder; `nil` for the store of the operating system.
    var path: String? {
        switch self {
        case .system: nil
        case .path(let path): path
        }
    }

    /// Reads the certificates.
    ///
    /// - Parameter anchorClass: The place where Apple's rules take those of a file or folder to come from.
    /// - Throws: `TrustStoreError`, whose description says what to do.
    func store(as anchorClass: AnchorClass = .application) throws -> TrustStore {
        switch self {
        case .system: try TrustStore.system()
        case .path(let path): try Self.store(path, anchorClass)
        }
    }

    /// What stands beside certificates in the files and was passed over, such as a key; `nil` where nothing does.
    var besides: String? {
        guard let path else { return nil }
        guard BoundedFile.isFolder(path) else { return Self.besides(path) }
        let names = (try? BoundedFile.entries(of: path)) ?? []
        let files = names.filter { Self.besides(path + "/" + $0) != nil }
        guard let first = files.first, let kind = Self.besides(path + "/" + first) else { return nil }
        return "\(kind) of \(first)" + (files.count > 1 ? ", and more in \(files.count - 1) other files," : "")
    }

    private static func besides(_ file: String) -> String? {
        // A file that cannot be read is an issue of the store.
        guard let contents = try? BoundedFile.read(file) else { return nil }
        return FileKind(of: contents).besideCertificates
    }

    private static func lack(in path: String) -> String? {
        FileKind.lackOfCertificates(in: path) { kind in GivenRevocation.advice(on: kind) }
    }

    /// What else a file or folder holds is named, with the way to a certificate.
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
