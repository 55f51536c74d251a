//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// A collector of certificates from files and folders, each once, and of the faults on the way.
struct TrustStoreLoader {
    private(set) var certificates: [(Certificate, AnchorClass)] = []
    private(set) var sources: [String] = []
    private(set) var issues: [TrustStoreIssue] = []
    private var seen: Set<Certificate> = []
    private var remainingBytes = Self.maximumBytes

    /// The maximum total size of all files, in octets: a hundred times the largest bundle in use.
    private static let maximumBytes = 256 << 20

    /// Reads a file, or the files of a folder. An unreadable file of a folder is only an issue, as certificate folders often have
    /// stale links.
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
                try self.read(file, anchorClass)
            } catch {
                self.report(file, 0, fault: .file(error))
            }
        }
    }

    mutating func replaceCertificates(_ certificates: [(Certificate, AnchorClass)]) {
        self.certificates = certificates
    }

    private mutating func loadFile(_ path: String, _ anchorClass: AnchorClass) throws(TrustStoreError) {
        do {
            try self.read(path, anchorClass)
        } catch {
            throw TrustStoreError(.unreadable(error))
        }
    }

    private mutating func read(_ path: String, _ anchorClass: AnchorClass) throws(FileError) {
        let bytes = try BoundedFile.read(path)
        self.remainingBytes -= bytes.count
        guard self.remainingBytes >= 0 else { throw FileError(path, .tooLarge(maximumSize: Self.maximumBytes)) }
        self.sources.append(path)
        if PEMReader.looksLikePEM(bytes) {
            self.loadPEM(bytes, anchorClass, path: path)
        } else {
            self.add(bytes, anchorClass, path: path, position: 1)
        }
    }

    private mutating func loadPEM(_ bytes: [UInt8], _ anchorClass: AnchorClass, path: String) {
        // A set that grows rehashes all of its certificates each time.
        self.seen.reserveCapacity(self.seen.count + bytes.count / Self.usualSize)
        var reader = PEMReader(bytes)
        var position = 0
        while true {
            position += 1
            do {
                guard let der = try reader.nextBlock() else { return }
                self.add(der, anchorClass, path: path, position: position)
            } catch {
                self.report(path, position, fault: .certificate(CertificateError(.pem(error))))
            }
        }
    }

    private mutating func add(_ der: [UInt8], _ anchorClass: AnchorClass, path: String, position: Int) {
        do {
            let certificate = try Certificate(der: der)
            guard self.seen.insert(certificate).inserted else { return }
            self.certificates.append((certificate, anchorClass))
        } catch {
            self.report(path, position, fault: .certificate(error))
        }
    }

    /// Adds an issue, up to a limit, so that a damaged file cannot fill the memory.
    private mutating func report(_ path: String, _ position: Int, fault: TrustStoreIssue.Fault) {
        guard self.issues.count < Self.maximumIssues else { return }
        self.issues.append(TrustStoreIssue(path: path, position: position, fault: fault))
    }

    private static let maximumIssues = 10_000
    /// The usual minimum size of a root in PEM, in octets.
    private static let usualSize = 1_024
}
