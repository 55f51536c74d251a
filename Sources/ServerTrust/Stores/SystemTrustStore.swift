//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustStore {
    /// Opens the store of the operating system.
    ///
    /// If `SSL_CERT_FILE` or `SSL_CERT_DIR` (folders separated by colons) is set, only these are used, as in OpenSSL and Go.
    /// Otherwise the store is the first existing bundle among those of Debian, Fedora, RHEL, SUSE, Alpine and Arch, or the folder
    /// of Android, which its updates replace from Android 14 on. Certificates that an administrator added on Debian, Fedora, RHEL,
    /// SUSE, Alpine or Arch have the class `.user`, as Apple's rules distinguish them from built-in ones.
    ///
    /// - Parameter environment: The environment, or `nil` for the environment of the process. The latter counts as empty in a
    ///   program that is set-uid, set-gid or has file capabilities.
    /// - Throws: ``TrustStoreError`` if there is no store, or it cannot be read or is empty.
    public static func system(
        environment: [String: String]? = nil
    ) throws(TrustStoreError) -> TrustStore {
        try Self.system(environment: environment, below: "")
    }

    /// Opens the store of a system.
    ///
    /// - Parameters:
    ///   - environment: The environment, or `nil` for the environment of the process.
    ///   - root: The root of the system's files, without a final slash.
    package static func system(
        environment: [String: String]?, below root: String
    ) throws(TrustStoreError) -> TrustStore {
        let environment = environment ?? ProcessPrivilege.environment()
        let file = environment["SSL_CERT_FILE"] ?? ""
        let folders = (environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init)
        guard file.isEmpty, folders.isEmpty else {
            return try Self.load((file.isEmpty ? [] : [file]) + folders, below: root)
        }
        let (bundles, stores) = (SystemLocations.bundles.map { root + $0 }, SystemLocations.folders.map { root + $0 })
        guard let found = bundles.first(where: BoundedFile.exists) ?? stores.first(where: BoundedFile.isFolder) else {
            throw TrustStoreError(.noSystemStore(searched: bundles + stores))
        }
        return try Self.load([found], below: root)
    }

    private static func load(_ paths: [String], below root: String) throws(TrustStoreError) -> TrustStore {
        var loader = TrustStoreLoader()
        for folder in SystemLocations.administratorFolders.map({ root + $0 }) where BoundedFile.isFolder(folder) {
            do {
                try loader.load(folder, .user)
            } catch {
                // The certificates of an unreadable folder keep the stricter rules for system roots.
                continue
            }
        }
        let own = Set(loader.certificates.map(\.0))
        var bundle = TrustStoreLoader()
        for path in paths { try bundle.load(path, .system) }
        return try TrustStore(bundle.reclassifying(own, as: .user))
    }
}

extension TrustStoreLoader {
    fileprivate func reclassifying(_ own: Set<Certificate>, as anchorClass: AnchorClass) -> TrustStoreLoader {
        guard !own.isEmpty else { return self }
        var copy = self
        copy.replaceCertificates(self.certificates.map { own.contains($0.0) ? ($0.0, anchorClass) : $0 })
        return copy
    }
}

/// The paths of trusted certificates in distributions.
private enum SystemLocations {
    static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL 7 and later
        "/etc/pki/tls/certs/ca-bundle.crt",  // RHEL 6
        "/var/lib/ca-certificates/ca-bundle.pem",  // SUSE
        "/etc/ssl/ca-bundle.pem",  // older SUSE
        "/etc/ssl/cert.pem",  // Alpine, macOS
    ]
    static let folders = [
        "/apex/com.android.conscrypt/cacerts",  // Android 14 and later
        "/system/etc/security/cacerts",  // Android
        "/etc/ssl/certs", "/etc/pki/tls/certs",
    ]
    static let administratorFolders = [
        "/usr/local/share/ca-certificates",  // Debian, Ubuntu, Alpine
        "/etc/pki/ca-trust/source/anchors",  // Fedora, RHEL
        "/etc/pki/trust/anchors",  // SUSE
        "/etc/ca-certificates/trust-source/anchors",  // Arch
    ]
}
