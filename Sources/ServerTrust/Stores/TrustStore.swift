//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A collection of trusted certificates read from files: the system's, or any other.
///
/// Opening one decodes and indexes its certificates; no key is made before a path needs it. A certificate that cannot be
/// read is reported in ``issues`` and left out; a store that ends up empty is an error.
public struct TrustStore: Sendable {
    /// Where the certificates came from: the files that were read.
    public let sources: [String]
    /// The certificates that were left out, and why.
    public let issues: [TrustStoreIssue]
    /// The trusted certificates, in the order they were read, each once.
    public let certificates: [Certificate]

    let anchors: TrustAnchorSet
    private let classes: [AnchorClass]
    /// The roots that are blocked by the data that the certificates are from; `nil` for data that say nothing of it.
    var blockedRoots: BlockedRoots?

    /// A store of certificates at hand.
    ///
    /// - Parameters:
    ///   - certificates: The certificates to trust.
    ///   - anchorClass: What Apple's rules take them for; they are stricter about system roots.
    /// - Throws: ``TrustStoreError`` when there are none.
    public init(
        _ certificates: [Certificate], anchorClass: AnchorClass = .application
    ) throws(TrustStoreError) {
        try self.init(certificates.map { ($0, anchorClass) }, sources: [], issues: [])
    }

    /// Reads a file with one DER or any number of PEM certificates, or every file of a folder.
    ///
    /// - Parameters:
    ///   - path: The file or folder. Folders are not searched recursively.
    ///   - anchorClass: What Apple's rules take the certificates for.
    /// - Throws: ``TrustStoreError`` when nothing could be read, or nothing readable is a certificate.
    public init(contentsOf path: String, anchorClass: AnchorClass = .application) throws(TrustStoreError) {
        var loader = TrustStoreLoader()
        try loader.load(path, anchorClass)
        try self.init(loader)
    }

    init(_ loader: TrustStoreLoader) throws(TrustStoreError) {
        try self.init(loader.certificates, sources: loader.sources, issues: loader.issues)
    }

    private init(
        _ certificates: [(Certificate, AnchorClass)], sources: [String], issues: [TrustStoreIssue]
    ) throws(TrustStoreError) {
        guard !certificates.isEmpty else { throw TrustStoreError(.empty(sources: sources, issues: issues)) }
        self.anchors = TrustAnchorSet(certificates.map { TrustAnchor($0.0.view, anchorClass: $0.1) })
        self.certificates = certificates.map(\.0)
        self.classes = certificates.map(\.1)
        self.sources = sources
        self.issues = issues
    }
}

extension TrustStore: Hashable {
    /// Whether two stores trust the same certificates of the same classes, in the same order, wherever they are from.
    public static func == (left: TrustStore, right: TrustStore) -> Bool {
        left.certificates == right.certificates && left.classes == right.classes
            && left.blockedRoots == right.blockedRoots
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.certificates)
        hasher.combine(self.classes)
    }
}

/// A certificate of a store that was left out.
public struct TrustStoreIssue: Sendable, Hashable, CustomStringConvertible {
    /// The file it is in.
    public let path: String
    /// Its place among the certificates of the file, from 1.
    public let position: Int
    /// What is wrong with it.
    public let fault: Fault

    /// What keeps a certificate out of a store.
    public enum Fault: Sendable, Hashable {
        /// It is not a certificate that can be read.
        case certificate(CertificateError)
        /// Its file, one of a folder's, cannot be read.
        case file(FileError)
    }

    /// File, place and fault, for a log.
    public var description: String {
        switch self.fault {
        case .certificate(let error): "\(self.path): certificate \(self.position): \(error)"
        case .file(let error): "\(error)"
        }
    }
}

/// A store that cannot be used, and what to do about it.
public struct TrustStoreError: Error, Sendable, Hashable {
    /// Why.
    public enum Code: Sendable, Hashable {
        /// A file or folder could not be read.
        case unreadable(FileError)
        /// Nothing that was read is a certificate.
        case empty(sources: [String], issues: [TrustStoreIssue])
        /// No file of trusted certificates was found where systems keep them.
        case noSystemStore(searched: [String])
    }

    /// Why.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }
}

extension TrustStoreError: CustomStringConvertible {
    /// What is wrong and what to do, for a person.
    public var description: String {
        switch self.code {
        case .unreadable(let error):
            return "\(error)"
        case .empty(let sources, let issues):
            let place = sources.isEmpty ? "the trust store" : sources.joined(separator: ", ")
            let fault = issues.first.map { " (\($0))" } ?? ""
            return "no trusted certificate in \(place)\(fault): give a file or folder with certificates in PEM or DER"
        case .noSystemStore(let searched):
            return "no trust store of the system found: install the package ca-certificates, or set SSL_CERT_FILE; "
                + "searched \(searched.joined(separator: ", "))"
        }
    }
}
