//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A collection of trusted certificates from files: the system's, or any other.
///
/// ```swift
/// let store = try TrustStore(contentsOf: "/etc/company/roots.pem")
/// let configuration = TrustConfiguration(anchors: .store(store))
/// ```
///
/// The initializers decode and index the certificates. A key is decoded when a path needs it. A certificate that cannot be read is
/// left out and reported in ``issues``. A store without any certificate is an error.
public struct TrustStore: Sendable {
    /// The files from which the certificates were read.
    public let sources: [String]
    /// The certificates that were left out, with their faults.
    public let issues: [TrustStoreIssue]
    /// The trusted certificates, in the order in which they were read, without duplicates.
    public let certificates: [Certificate]

    let anchors: TrustAnchorSet
    private let classes: [AnchorClass]
    /// The roots that are blocked by the data behind the certificates, or `nil` if the data block none explicitly.
    var blockedRoots: BlockedRoots?

    /// Creates a store from certificates.
    ///
    /// - Parameters:
    ///   - certificates: The certificates to trust.
    ///   - anchorClass: The class of the certificates under Apple's rules, which are stricter for system roots.
    /// - Throws: ``TrustStoreError`` if there are no certificates.
    public init(
        _ certificates: [Certificate], anchorClass: AnchorClass = .application
    ) throws(TrustStoreError) {
        try self.init(certificates.map { ($0, anchorClass) }, sources: [], issues: [])
    }

    /// Reads a file with one certificate in DER or any number in PEM, or every file of a folder.
    ///
    /// - Parameters:
    ///   - path: The file or folder. Folders are not searched recursively.
    ///   - anchorClass: The class of the certificates under Apple's rules.
    /// - Throws: ``TrustStoreError`` if the path cannot be read, or has no readable certificate.
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
    /// Returns `true` if both stores trust equal certificates of equal classes in the same order, and block the same roots. Their
    /// sources are not compared.
    public static func == (left: TrustStore, right: TrustStore) -> Bool {
        left.certificates == right.certificates && left.classes == right.classes
            && left.blockedRoots == right.blockedRoots
    }

    /// Hashes the certificates and their classes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.certificates)
        hasher.combine(self.classes)
    }
}

/// A certificate of a store that was left out.
///
/// The rest of the store is used. Log the issues, as a server below the missing certificate is refused.
public struct TrustStoreIssue: Sendable, Hashable, CustomStringConvertible {
    /// The file of the certificate.
    public let path: String
    /// The position of the certificate in the file, from 1.
    public let position: Int
    /// The fault of the certificate or file.
    public let fault: Fault

    /// The faults that keep a certificate out of a store.
    public enum Fault: Sendable, Hashable {
        /// The certificate cannot be read.
        case certificate(CertificateError)
        /// A file of a folder cannot be read.
        case file(FileError)
    }

    /// The file, position and fault, for a log.
    public var description: String {
        switch self.fault {
        case .certificate(let error): "\(self.path): certificate \(self.position): \(error)"
        case .file(let error): "\(error)"
        }
    }
}

/// An error for a store that cannot be used.
///
/// The description says how to solve the problem.
public struct TrustStoreError: Error, Sendable, Hashable {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// A file or folder could not be read.
        case unreadable(FileError)
        /// The files have no readable certificate.
        case empty(sources: [String], issues: [TrustStoreIssue])
        /// The system has no store at any of the searched paths.
        case noSystemStore(searched: [String])
    }

    /// The kind of error.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }
}

extension TrustStoreError: CustomStringConvertible {
    /// The error and its remedy, in a sentence.
    public var description: String {
        switch self.code {
        case .unreadable(let error):
            return "\(error)"
        case .empty(let sources, let issues):
            let place = sources.isEmpty ? "the trust store" : sources.joined(separator: ", ")
            let fault = issues.first.map { " (\($0))" } ?? ""
            return "no trusted certificate in \(place)\(fault): give a file or folder with certificates in PEM or DER"
        case .noSystemStore(let searched):
            return "no trust store of the system found in \(searched.joined(separator: ", ")). "
                + "Install the package ca-certificates, or set SSL_CERT_FILE"
        }
    }
}
