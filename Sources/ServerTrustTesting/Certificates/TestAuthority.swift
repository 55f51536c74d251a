//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A throw-away certificate authority: a root, and whatever it is asked to issue.
///
/// Its keys exist in memory only. RSA keys are slow to generate, so all leaves with the same kind of RSA key have the
/// same key, unless ``CertificateDescription/key`` says otherwise; every other certificate has a key of its own.
public struct TestAuthority: Sendable {
    /// The root certificate.
    public let root: TestCertificate

    private let keys = TestKeyPool()

    /// Creates an authority with a new root.
    ///
    /// - Parameter root: What the root certificate says.
    /// - Throws: ``TestCertificateError``, or an error of swift-certificates, if it cannot be made.
    public init(root: CertificateDescription = .root()) throws {
        self.root = try TestCertificate(root, key: root.key ?? TestPrivateKey(root.keyKind), issuer: nil)
    }

    /// Issues an intermediate or a leaf.
    ///
    /// - Parameters:
    ///   - description: What the certificate says.
    ///   - issuer: The issuer, which need not be allowed to issue; `nil` stands for the root.
    /// - Returns: The certificate.
    /// - Throws: ``TestCertificateError``, or an error of swift-certificates, if it cannot be made.
    public func issue(
        _ description: CertificateDescription,
        by issuer: TestCertificate? = nil
    ) throws -> TestCertificate {
        try TestCertificate(description, key: self.key(for: description), issuer: issuer ?? self.root)
    }

    /// Makes a certificate that is signed with its own key and has nothing to do with the root.
    ///
    /// - Parameter description: What the certificate says.
    /// - Returns: The certificate.
    /// - Throws: ``TestCertificateError``, or an error of swift-certificates, if it cannot be made.
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
