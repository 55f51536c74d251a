// Connect to a server and take what it presents; the judging is ServerTrust's.

import ServerTrust
import ServerTrustNIO

func presentedCertificates() async throws -> [Certificate] {
    // snippet.show
    let chain = try await TLSConnection.presentedChain(of: TLSEndpoint(parsing: "example.com"))
    let certificates = try chain.certificates.map { try Certificate(der: $0) }
    // snippet.hide
    return certificates
}
