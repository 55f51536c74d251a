//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import ServerTrust

/// Copies exceptions for all current failures that can be ignored, to be saved and set again later.
///
/// The encoding is this package's own. It cannot be exchanged with Apple's systems.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try? encoder.encode(trust.question().currentExceptions())
}

/// Sets exceptions that later evaluations of the same certificate apply.
///
/// - Parameters:
///   - trust: The trust object.
///   - exceptions: The result of `SecTrustCopyExceptions`, or `nil` to remove the exceptions.
/// - Returns: `true` if the exceptions were set. Exceptions for another certificate, or unreadable ones, remove those in force.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    guard let exceptions else { return trust.change { $0.setExceptions(nil) } }
    guard let decoded = try? JSONDecoder().decode(TrustExceptions.self, from: exceptions) else {
        _ = trust.change { $0.setExceptions(nil) }
        return false
    }
    return trust.change { $0.setExceptions(decoded) }
}

/// Adds exceptions for those current failures that the options name (SecTrust.cpp `SecTrustSetOptions`).
///
/// - Parameters:
///   - trustRef: The trust object, which is evaluated.
///   - options: The options. Exceptions in force remain.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetOptions(_ trustRef: SecTrust, _ options: SecTrustOptionFlags) -> OSStatus {
    trustRef.change { state in
        let path = state.verifiedPath()
        let current = state.trust.currentExceptions().filtered { check, index in
            options.passOver(check, at: index, on: path)
        }
        _ = state.addExceptions(current)
        if options.contains(.requireRevPerCert) { state.update { $0.revocation.mode = .hard } }
    }
    return errSecSuccess
}

extension SecTrustOptionFlags {
    fileprivate func passOver(_ check: TrustCheck, at index: Int, on path: [Certificate]) -> Bool {
        guard path.indices.contains(index) else { return false }
        let isRoot = index > 0 && index == path.count - 1 && path[index].isSelfSigned
        switch check {
        case .temporalValidity: return self.contains(.allowExpired) || (isRoot && self.contains(.allowExpiredRoot))
        case .anchorTrusted: return self.contains(.implicitAnchors) && path[index].isSelfSigned
        default: return false
        }
    }
}

extension SecTrust {
    /// Returns the trust value with the date of the evaluation.
    fileprivate func question() -> Trust {
        self.read { state in
            _ = state.verifyDate()
            return state.trust
        }
    }
}

extension SecTrust.State {
    fileprivate mutating func verifiedPath() -> [Certificate] {
        defer { self.forget() }
        return self.evaluated().path
    }

    fileprivate mutating func addExceptions(_ exceptions: TrustExceptions) -> Bool {
        let earlier = self.exceptions
        return self.setExceptions(earlier.map { exceptions.merging($0) } ?? exceptions)
    }
}
