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
    /// An error as URLSession has it: a code of `NSURLErrorDomain`, the URL, the server in question, and why.
    ///
    /// - Parameters:
    ///   - error: What went wrong.
    ///   - url: The URL of the request.
    ///   - trust: The server in question; `nil` where none was asked about.
    ///   - isCancelled: Whether the program ended it, or its delegate refused the server.
    package init(_ error: any Error, at url: URL?, about trust: SecTrust?, isCancelled: Bool) {
        let (code, description, recovery) = Self.account(of: error, isCancelled)
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if !recovery.isEmpty { info[NSLocalizedRecoverySuggestionErrorKey] = recovery }
        if let url {
            info[NSURLErrorFailingURLErrorKey] = url
            // NSURLErrorFailingURLStringErrorKey, which Foundation deprecates and programs read.
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
