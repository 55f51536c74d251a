//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The error with which a load of Apple's URL loading system ends, in the form of `NSError`'s description.
///
/// The words, domains and codes are those of `nscurl --ats-diagnostics --verbose` and of CFNetwork's headers.
public struct URLLoadError: CustomStringConvertible, Sendable, Hashable {
    /// The code in `NSURLErrorDomain`.
    public let code: URLErrorCode
    /// The code of the stream in the SSL domain, or `nil` if TLS is not involved.
    public let stream: Int32?
    /// The host in the text for people.
    public let host: String
    /// The URL that failed.
    public var url: String

    /// Creates the error of a load.
    ///
    /// - Parameters:
    ///   - violation: The violation, or `nil` if only the lack of a secure connection is known.
    ///   - host: The host.
    ///   - url: The URL that failed.
    public init(_ violation: ATSViolation?, host: String, url: String) {
        self.code = violation?.urlError ?? .secureConnectionFailed
        self.stream = violation?.osStatus?.rawValue
        self.host = host
        self.url = url
    }

    /// The error in the form of `NSError`'s description.
    public var description: String {
        guard self.code != .appTransportSecurityRequiresSecureConnection else { return self.insecureLoad }
        let (code, domain) = self.streamError
        let recovery = self.stream == nil ? "" : "NSLocalizedRecoverySuggestion=\(Self.recovery), "
        return "Error Domain=NSURLErrorDomain Code=\(self.code.rawValue) \"\(self.text)\" UserInfo={"
            + "_kCFStreamErrorCodeKey=\(code), \(recovery)NSUnderlyingError=0x0 {\(self.underlying)}, "
            + "NSLocalizedDescription=\(self.text), NSErrorFailingURLKey=\(self.url), "
            + "NSErrorFailingURLStringKey=\(self.url), _kCFStreamErrorDomainKey=\(domain)}"
    }

    /// The description without stream codes, because no stream was opened.
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

    /// The code, and the number of its domain (CFStream.h, CFSocketStream.h). 3 is SSL.
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
        case .cancelled: "cancelled"
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
        case .badURL: "bad URL"
        case .httpTooManyRedirects: "too many HTTP redirects"
        case .redirectToNonExistentLocation: "redirection to a nonexistent location"
        case .badServerResponse: "There was a bad response from the server."
        case .userCancelledAuthentication: "user cancelled authentication"
        case .userAuthenticationRequired: "user authentication required"
        case .cannotDecodeContentData: "cannot decode raw data"
        case .requestBodyStreamExhausted: "request body stream exhausted"
        case .dataLengthExceedsMaximum: "resource exceeds maximum size"
        case .cannotOpenFile: "cannot open file"
        case .cannotWriteToFile: "cannot write file"
        }
    }

    private static let recovery = "Would you like to connect to the server anyway?"
}
