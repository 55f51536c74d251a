//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A throw-away certificate authority with a root and the certificates that it issues.
///
/// Its keys exist in memory only. RSA keys are slow to generate, so all leaves with the same kind of RSA key share one key unless
/// ``CertificateDescription/key`` sets another. Every other certificate has a key of its own.
public struct TestAuthority: Sendable {
    /// The root certificate.
    public let root: TestCertificate

    private let keys = TestKeyPool()

    /// Creates an authority with a new root.
    ///
    /// - Parameter root: The description of the root certificate.
    /// - Throws: ``TestCertificateError``, or an error of swift-certificates, if the root cannot be created.
    public init(root: CertificateDescription = .root()) throws {
        self.root = try TestCertificate(root, key: root.key ?? TestPrivateKey(root.keyKind), issuer: nil)
    }

    /// Issues an intermediate or a leaf.
    ///
    /// - Parameters:
    ///   - description: The description of the certificate.
    ///   - issuer: The issuer, or `nil` for the root. The issuer need not be permitted to issue.
    /// - Returns: The certificate.
    /// - Throws: ``TestCertificateError``, or an error of swift-certificates, if the certificate cannot be created.
    public func issue(
        _ description: CertificateDescription,
        by issuer: TestCertificate? = nil
    ) throws -> TestCertificate {
        try TestCertificate(description, key: self.key(for: description), issuer: issuer ?? self.root)
    }

    /// Creates a certificate that is signed with its own key and is unrelated to the root.
    ///
    /// - Parameter description: The description of the certificate.
    /// - Returns: The certificate.
    /// - Throws: ``TestCertificateError``, or an error of swift-certificates, if the certificate cannot be created.
    public func selfSigned(_ description: CertificateDescription) throws -> TestCertificate {
        try TestCertificate(description, key: self.key(for: description), issuer: nil)
    }

    private func key(for description: CertificateDescription) throws -> TestPrivateKey {
        if let key = description.key {
            return key
        }
        let isShared = description.keyKind.rsaBits != nil && !description.isCA
        return try isShared ? self.keys.key(description.keyKind) : TestPrivateKey(description.keyKind)
    }
}
