//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import AppleSecurity
import Foundation
import FoundationNetworking
import HTTPSession
import ServerTrustNIO

extension URLSessionTask {
    /// An error as URLSession has it: a code of `NSURLErrorDomain`, the URL, the server in question, and why.
    func urlError(_ error: any Error) -> URLError {
        switch error {
        case let error as URLError: return self.urlError(code: error.errorCode, error.localizedDescription, nil)
        case is CancellationError: return self.urlError(code: URLErrorCode.cancelled.rawValue, "cancelled", nil)
        case let error as HTTPSessionError:
            guard self.isRefusedByDelegate || self.state == .canceling else {
                return self.urlError(code: error.code.rawValue, error.reason, error, recovery: error.remedy)
            }
            return self.urlError(code: URLErrorCode.cancelled.rawValue, "cancelled", error)
        case let error as HTTPURLError:
            return self.urlError(code: URLErrorCode.badURL.rawValue, error.description, error)
        default: return self.urlError(code: URLErrorCode.cannotWriteToFile.rawValue, "\(error)", error)
        }
    }

    private func urlError(code: Int, _ description: String, _ cause: (any Error)?, recovery: String = "") -> URLError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if !recovery.isEmpty { info[NSLocalizedRecoverySuggestionErrorKey] = recovery }
        if let url = self.currentRequest?.url {
            info[NSURLErrorFailingURLErrorKey] = url
            // NSURLErrorFailingURLStringErrorKey, which Foundation deprecates and programs read.
            info["NSErrorFailingURLStringKey"] = url.absoluteString
        }
        info[NSURLErrorFailingURLPeerTrustErrorKey] = self.trust
        info[NSUnderlyingErrorKey] = cause
        return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: code, userInfo: info))
    }
}
