//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Reloading
public import NIOCertificateReloading
public import ServerTrustNIO

extension ClientTrustSettings {
    /// Presents the server's certificate and key that the reloader has at the time of each connection.
    ///
    /// ```swift
    /// let reloader = try TimedCertificateReloader.makeReloaderValidatingSources(…)
    /// settings.setIdentity(reloader)
    /// ```
    ///
    /// - Parameter reloader: The reloader. Run it as a service of the program.
    public mutating func setIdentity(_ reloader: some CertificateReloader) { self.tls.setCertificateReloader(reloader) }
}

extension ServerTrustSettings {
    /// Presents the client's certificate and key that the reloader has at the time of each connection, in place of ``identity``.
    ///
    /// - Parameter reloader: The reloader. Run it as a service of the program.
    public mutating func setIdentity(_ reloader: some CertificateReloader) {
        self.identity = nil
        self.tls.setCertificateReloader(reloader)
    }
}
#endif
