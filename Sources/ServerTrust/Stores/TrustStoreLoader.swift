//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Collects certificates from files and folders, each once, and remembers what could not be read.
struct TrustStoreLoader {
    private(set) var certificates: [(Certificate, AnchorClass)] = []
    private(set) var sources: [String] = []
    private(set) var issues: [TrustStoreIssue] = []
    private var seen: Set<Certificate> = []

    /// Reads a file, or the files of a folder. A file of a folder that cannot be opened is an issue and not the end:
    /// folders of certificates are full of stale links.
    mutating func load(_ path: String, _ anchorClass: AnchorClass) throws(TrustStoreError) {
        guard BoundedFile.isFolder(path) else {
            try self.loadFile(path, anchorClass)
            return
        }
        let names: [String]
        do {
            names = try BoundedFile.entries(of: path)
        } catch {
            throw TrustStoreError(.unreadable(error))
        }
        for name in names {
            let file = path.hasSuffix("/") ? path + name : path + "/" + name
            guard !BoundedFile.isFolder(file) else { continue }
            do {
                self.load(try BoundedFile.read(file), from: file, anchorClass)
            } catch {
                self.issues.append(TrustStoreIssue(path: file, position: 0, fault: .file(error)))
            }
        }
    }

    mutating func replaceCertificates(_ certificates: [(Certificate, AnchorClass)]) {
        self.certificates = certificates
    }

    private mutating func loadFile(_ path: String, _ anchorClass: AnchorClass) throws(TrustStoreError) {
        do {
            self.load(try BoundedFile.read(path), from: path, anchorClass)
        } catch {
            throw TrustStoreError(.unreadable(error))
        }
    }

    private mutating func load(_ bytes: [UInt8], from path: String, _ anchorClass: AnchorClass) {
        self.sources.append(path)
        if PEMReader.looksLikePEM(bytes) {
            self.loadPEM(bytes, anchorClass, path)
        } else {
            self.add(bytes, anchorClass, path, 1)
        }
    }

    private mutating func loadPEM(_ bytes: [UInt8], _ anchorClass: AnchorClass, _ path: String) {
        var reader = PEMReader(bytes)
        var position = 0
        while true {
            position += 1
            do {
                guard let der = try reader.nextBlock() else { return }
                self.add(der, anchorClass, path, position)
            } catch {
                self.issues.append(TrustStoreIssue(path: path, position: position, fault: .certificate(error)))
            }
        }
    }

    private mutating func add(_ der: [UInt8], _ anchorClass: AnchorClass, _ path: String, _ position: Int) {
        do {
            let certificate = try Certificate(der: der)
            guard self.seen.insert(certificate).inserted else { return }
            self.certificates.append((certificate, anchorClass))
        } catch {
            self.issues.append(TrustStoreIssue(path: path, position: position, fault: .certificate(error)))
        }
    }
}
