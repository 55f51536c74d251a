//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A code of `NSURLErrorDomain` with which connections and requests of this package fail (NSURLError.h).
///
/// The constants are defined here, because some of those in Foundation for Linux are off by one.
public enum URLErrorCode: Int, Sendable, Hashable, CaseIterable {
    /// `NSURLErrorCancelled`
    case cancelled = -999
    /// `NSURLErrorBadURL`
    case badURL = -1000
    /// `NSURLErrorTimedOut`
    case timedOut = -1001
    /// `NSURLErrorCannotFindHost`
    case cannotFindHost = -1003
    /// `NSURLErrorCannotConnectToHost`
    case cannotConnectToHost = -1004
    /// `NSURLErrorNetworkConnectionLost`
    case networkConnectionLost = -1005
    /// `NSURLErrorHTTPTooManyRedirects`
    case httpTooManyRedirects = -1007
    /// `NSURLErrorRedirectToNonExistentLocation`
    case redirectToNonExistentLocation = -1010
    /// `NSURLErrorBadServerResponse`
    case badServerResponse = -1011
    /// `NSURLErrorUserCancelledAuthentication`
    case userCancelledAuthentication = -1012
    /// `NSURLErrorUserAuthenticationRequired`
    case userAuthenticationRequired = -1013
    /// `NSURLErrorCannotDecodeContentData`
    case cannotDecodeContentData = -1016
    /// `NSURLErrorRequestBodyStreamExhausted`
    case requestBodyStreamExhausted = -1021
    /// `NSURLErrorAppTransportSecurityRequiresSecureConnection`
    case appTransportSecurityRequiresSecureConnection = -1022
    /// `NSURLErrorDataLengthExceedsMaximum`
    case dataLengthExceedsMaximum = -1103
    /// `NSURLErrorSecureConnectionFailed`
    case secureConnectionFailed = -1200
    /// `NSURLErrorServerCertificateHasBadDate`
    case serverCertificateHasBadDate = -1201
    /// `NSURLErrorServerCertificateUntrusted`
    case serverCertificateUntrusted = -1202
    /// `NSURLErrorServerCertificateHasUnknownRoot`
    case serverCertificateHasUnknownRoot = -1203
    /// `NSURLErrorServerCertificateNotYetValid`
    case serverCertificateNotYetValid = -1204
    /// `NSURLErrorClientCertificateRejected`
    case clientCertificateRejected = -1205
    /// `NSURLErrorClientCertificateRequired`
    case clientCertificateRequired = -1206
    /// `NSURLErrorCannotOpenFile`
    case cannotOpenFile = -3002
    /// `NSURLErrorCannotWriteToFile`
    case cannotWriteToFile = -3003

    /// The name of the constant in Apple's headers.
    public var name: String {
        // An abbreviation stays in capitals.
        let text = self == .httpTooManyRedirects ? "HTTPTooManyRedirects" : "\(self)"
        return "NSURLError" + text.prefix(1).uppercased() + text.dropFirst()
    }

    /// The meaning in one sentence.
    public var meaning: String { self.row.meaning }

    /// The remedy in one sentence.
    public var remedy: String { self.row.remedy }

    private var row: (meaning: String, remedy: String) {
        switch self {
        case .cancelled:
            ("The app itself refused the server, or ended the load.", "See what the app has pinned or decides.")
        case .badURL: ("The URL cannot be loaded.", "Correct it.")
        case .httpTooManyRedirects: ("Redirects do not end.", "Look for a loop among them.")
        case .redirectToNonExistentLocation:
            ("A redirect leads to an address that cannot be loaded.", "Correct the server's Location field.")
        case .badServerResponse: ("What the server sends is not HTTP.", "Check the port, and the server behind it.")
        case .userCancelledAuthentication:
            ("The app's handler refused to authenticate.", "See its decision and the reason.")
        case .userAuthenticationRequired:
            ("A credential is needed, or the one that was sent is wrong.", "Give a user and a password that are valid.")
        case .cannotDecodeContentData:
            ("The compressed content of the response is damaged.", "Ask for it without compression.")
        case .requestBodyStreamExhausted:
            ("The content of the request has to be sent again, and cannot be.", "Give content that can be read twice.")
        case .dataLengthExceedsMaximum:
            ("The response has more bytes than the app takes.", "Allow more, or read it as a stream.")
        case .timedOut: ("The server did not answer in time.", "Check the address, and what lies between.")
        case .cannotFindHost: ("The host's name has no address.", "Check the name's spelling and its DNS.")
        case .cannotConnectToHost: ("Nothing answers at the port.", "Check that the server runs and listens there.")
        case .networkConnectionLost: ("The connection ended early.", "Look into the server's log.")
        case .appTransportSecurityRequiresSecureConnection:
            ("The URL, or one it redirects to, is http, which App Transport Security refuses.", "Use https.")
        case .secureConnectionFailed:
            (
                "TLS could not be agreed on as App Transport Security demands.",
                "See the code behind it in the same line (_kCFStreamErrorCodeKey), such as -9843 for another name."
            )
        case .serverCertificateHasBadDate:
            ("The certificate has expired, or its dates are wrong.", "Renew the certificate.")
        case .serverCertificateUntrusted:
            (
                "The certificate is not trusted for the host.",
                "See the code behind it in the same line (_kCFStreamErrorCodeKey), such as -9843 for another name."
            )
        case .serverCertificateHasUnknownRoot:
            ("The path ends at an authority that is not trusted.", "Have the certificate issued by a trusted one.")
        case .serverCertificateNotYetValid:
            ("The certificate is not valid yet.", "Check the clocks, or wait.")
        case .clientCertificateRejected:
            ("The server refuses the client's certificate.", "Give it one of an authority it trusts.")
        case .clientCertificateRequired:
            ("The server wants a certificate of the client.", "Answer the challenge with an identity.")
        case .cannotOpenFile:
            ("The file of an upload cannot be read.", "Name a file that is there.")
        case .cannotWriteToFile:
            ("The file of a download cannot be written.", "Check its folder, and the space there.")
        }
    }
}
