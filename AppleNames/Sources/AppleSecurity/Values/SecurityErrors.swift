//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust

/// The value of `errSecInternal` in SecBasePriv.h.
let errSecInternal: OSStatus = -26_276

extension NSError {
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
    /// Stores the reason for a missing result, if the caller wants it.
    func report(_ status: OSStatus, _ description: String) { self?.pointee = .security(status, description) }
}

/// Returns a text for a status: its name if this package reports it, and its number otherwise.
///
/// - Parameters:
///   - status: The status.
///   - reserved: Unused.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    status == errSecSuccess ? "errSecSuccess" : OSStatusCode(rawValue: status)?.name ?? "OSStatus \(status)"
}
