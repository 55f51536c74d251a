//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// A search for the issuer of a certificate at the URLs in the certificate (RFC 5280 §4.2.2.1).
struct IssuerSearch {
    let certificate: Certificate
    let session: FetchSession

    /// The found certificates, and an action that caches them after the path has used them.
    struct Answer {
        var certificates: [Certificate] = []
        var remember: () -> Void = {}
    }

    func run() async -> Answer {
        let options = self.session.options
        for url in self.certificate.view.issuerURLs.prefix(max(0, options.maximumLocations)) {
            let entry = ResourceCache.Entry(.issuer, url, certificates: [self.certificate])
            let order = self.session.begin()
            if let cached = options.cache?.data(for: entry, at: options.moment), let found = self.issuers(in: cached) {
                self.finish(order, url, outcome: .cached)
                return Answer(certificates: found)
            }
            do throws(ResourceError) {
                let bytes = try await self.session.fetch(url, .issuer)
                guard let found = self.issuers(in: bytes) else {
                    self.finish(order, url, outcome: .unusable("there is no certificate of the issuer in it"))
                    continue
                }
                self.finish(order, url, outcome: .used)
                return Answer(certificates: found) { options.cache?.store(bytes, for: entry, at: options.moment) }
            } catch {
                self.finish(order, url, outcome: .failed(error))
            }
        }
        return Answer()
    }

    private func finish(_ order: Int, _ url: String, outcome: FetchRecord.Outcome) {
        self.session.finish(order, url: url, kind: .issuer, certificate: self.certificate, outcome: outcome)
    }

    /// Returns the certificates of an answer if one of them has the issuer's name. The evaluation verifies the signature.
    private func issuers(in bytes: [UInt8]) -> [Certificate]? {
        let found = Self.certificates(in: bytes)
        return found.contains { $0.subject == self.certificate.issuer } ? found : nil
    }

    /// Parses DER, PEM, or a certs-only message in BER or DER (RFC 5280 §4.2.2.1).
    private static func certificates(in bytes: [UInt8]) -> [Certificate] {
        if let certificates = try? Certificate.certificates(in: bytes) { return certificates }
        let message = try? CertificateView.certificates(inCertificatesOnlyMessage: bytes)
        return (message ?? []).map(Certificate.init)
    }
}
