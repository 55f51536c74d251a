//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import AppleSecurity
package import Foundation
import FoundationNetworking
import HTTPSession
import ServerTrustNIO

extension URLError {
    /// Creates an error like URLSession's: a code of `NSURLErrorDomain` with the URL, the trust object and the reason.
    ///
    /// - Parameters:
    ///   - error: The underlying error.
    ///   - url: The URL of the request.
    ///   - trust: The trust object of the server, or `nil` if no server was evaluated.
    ///   - isCancelled: `true` if the program cancelled the request or its delegate refused the server.
    package init(_ error: any Error, at url: URL?, about trust: SecTrust?, isCancelled: Bool) {
        let (code, description, recovery) = Self.account(of: error, isCancelled)
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if !recovery.isEmpty { info[NSLocalizedRecoverySuggestionErrorKey] = recovery }
        if let url {
            info[NSURLErrorFailingURLErrorKey] = url
            // The key of NSURLErrorFailingURLStringErrorKey. Foundation deprecates the constant, but programs still read the
            // value.
            info["NSErrorFailingURLStringKey"] = url.absoluteString
        }
        info[NSURLErrorFailingURLPeerTrustErrorKey] = trust
        if !(error is URLError) { info[NSUnderlyingErrorKey] = error }
        self.init(_nsError: NSError(domain: NSURLErrorDomain, code: code, userInfo: info))
    }

    private static func account(of error: any Error, _ isCancelled: Bool) -> (Int, String, recovery: String) {
        switch error {
        case let error as URLError: (error.errorCode, error.localizedDescription, "")
        case is CancellationError: (URLErrorCode.cancelled.rawValue, "cancelled", "")
        case is HTTPSessionError where isCancelled: (URLErrorCode.cancelled.rawValue, "cancelled", "")
        case let error as HTTPSessionError: (error.code.rawValue, error.reason, error.remedy)
        case let error as HTTPURLError: (URLErrorCode.badURL.rawValue, error.description, "")
        default: (URLErrorCode.cannotWriteToFile.rawValue, "\(error)", "")
        }
    }
}
