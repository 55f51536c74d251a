//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust

/// SecBasePriv.h's `errSecInternal`.
let errSecInternal: OSStatus = -26_276

extension NSError {
    /// An error of Security.
    static func security(
        _ status: OSStatus, _ description: String, recovery: String? = nil, underlying: NSError? = nil
    ) -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        info[NSLocalizedRecoverySuggestionErrorKey] = recovery
        info[NSUnderlyingErrorKey] = underlying
        return NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: info)
    }
}

extension UnsafeMutablePointer<CFError?>? {
    /// Says why a function has no answer, to callers that want to know.
    func report(_ status: OSStatus, _ description: String) { self?.pointee = .security(status, description) }
}

/// A text for a status: its name where this package reports it, and its number otherwise.
///
/// - Parameters:
///   - status: The status.
///   - reserved: Nothing.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    status == errSecSuccess ? "errSecSuccess" : OSStatusCode(rawValue: status)?.name ?? "OSStatus \(status)"
}
