//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO

/// The error that a load ends with, as `NSError` describes itself.
struct NSCurlError: CustomStringConvertible {
    /// The code of the stream, of the domain of SSL; `nil` where TLS has no part in it.
    let stream: Int32?
    private let code: URLErrorCode
    private let host: String
    private let url: String

    /// The error of a test that does not pass. Where a fact is missing it is that of a load that got no further than the
    /// question did.
    init(_ row: ATSDiagnostics.Row, _ server: DiagnosedServer) {
        var violation = row.verdict.primary
        if let doubt = violation, doubt.isDoubt, let failure = server.diagnosis.doubts.compactMap(\.failure).first {
            let verdict = row.verdict.requirements.verdict(on: .failed(ATSConnectionFailure(failure)))
            violation = verdict.primary ?? doubt
        }
        self.code = violation?.urlError ?? .secureConnectionFailed
        self.stream = violation?.osStatus?.rawValue
        self.host = server.endpoint.host.text
        // A load over plain HTTP fails at the URL that it was redirected to.
        let target = server.diagnosis.transportSecurity.redirects.first { $0.scheme == .http }
        let isInsecure = self.code == .appTransportSecurityRequiresSecureConnection
        self.url = PrintableText.text((isInsecure ? target?.url : nil) ?? server.fullURL)
    }

    var description: String {
        guard self.code != .appTransportSecurityRequiresSecureConnection else { return self.insecureLoad }
        let (code, domain) = self.streamError
        let recovery = self.stream == nil ? "" : "NSLocalizedRecoverySuggestion=\(Self.recovery), "
        return "Error Domain=NSURLErrorDomain Code=\(self.code.rawValue) \"\(self.text)\" UserInfo={"
            + "_kCFStreamErrorCodeKey=\(code), \(recovery)NSUnderlyingError=0x0 {\(self.underlying)}, "
            + "NSLocalizedDescription=\(self.text), NSErrorFailingURLKey=\(self.url), "
            + "NSErrorFailingURLStringKey=\(self.url), _kCFStreamErrorDomainKey=\(domain)}"
    }

    /// No stream was opened, so there is none to say anything about.
    private var insecureLoad: String {
        "Error Domain=NSURLErrorDomain Code=\(self.code.rawValue) \"\(self.text)\" UserInfo={NSUnderlyingError=0x0 "
            + "{Error Domain=kCFErrorDomainCFNetwork Code=\(self.code.rawValue) \"(null)\"}, "
            + "NSErrorFailingURLStringKey=\(self.url), NSErrorFailingURLKey=\(self.url), "
            + "NSLocalizedDescription=\(self.text)}"
    }

    private var underlying: String {
        let (code, domain) = self.streamError
        let ssl =
            self.stream == nil
            ? ""
            : "_kCFStreamPropertySSLClientCertificateState=0, _kCFNetworkCFStreamSSLErrorOriginalValue=\(code), "
        return "Error Domain=kCFErrorDomainCFNetwork Code=\(self.code.rawValue) \"(null)\" UserInfo={"
            + "\(ssl)_kCFStreamErrorDomainKey=\(domain), _kCFStreamErrorCodeKey=\(code)}"
    }

    /// The code, and the number of its domain (CFStream.h, CFSocketStream.h): 3 is SSL.
    private var streamError: (Int32, Int) {
        if let stream { return (stream, 3) }
        return switch self.code {
        // kCFStreamErrorDomainNetDB, EAI_NONAME
        case .cannotFindHost: (8, 12)
        // kCFStreamErrorDomainPOSIX, ECONNREFUSED
        case .cannotConnectToHost: (61, 1)
        // kCFStreamErrorDomainNetServices
        case .timedOut: (-2102, 4)
        default: (0, 4)
        }
    }

    private var text: String {
        switch self.code {
        case .timedOut: "The request timed out."
        case .cannotFindHost: "A server with the specified hostname could not be found."
        case .cannotConnectToHost: "Could not connect to the server."
        case .networkConnectionLost: "The network connection was lost."
        case .appTransportSecurityRequiresSecureConnection:
            "The resource could not be loaded because the App Transport Security policy requires the use of a secure "
                + "connection."
        case .secureConnectionFailed:
            "An SSL error has occurred and a secure connection to the server cannot be made."
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            "The certificate for this server is invalid. You might be connecting to a server that is pretending to be "
                + "“\(self.host)” which could put your confidential information at risk."
        case .clientCertificateRejected, .clientCertificateRequired:
            "The server “\(self.host)” requires a client certificate."
        }
    }

    private static let recovery = "Would you like to connect to the server anyway?"
}

extension ATSDestination {
    /// As much of its URL as is known.
    fileprivate var url: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        let isUsual = self.port == (self.scheme == .https ? 443 : 80)
        return "\(self.scheme)://\(host)\(isUsual ? "" : ":\(self.port)")/"
    }
}
