//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import ServerTrust

/// Copies everything that fails now and may be passed over, to be saved and set again.
///
/// The encoding is this package's own: what Apple's systems made is not read here, and the other way round.
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try? encoder.encode(trust.question().currentExceptions())
}

/// Lets later evaluations pass over what was recorded for the same certificate.
///
/// - Parameters:
///   - trust: The question.
///   - exceptions: What `SecTrustCopyExceptions` returned; `nil` takes exceptions away.
/// - Returns: Whether they were set. What is for another certificate, or cannot be read, takes away those in force.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    guard let exceptions else { return trust.change { $0.setExceptions(nil) } }
    guard let decoded = try? JSONDecoder().decode(TrustExceptions.self, from: exceptions) else {
        _ = trust.change { $0.setExceptions(nil) }
        return false
    }
    return trust.change { $0.setExceptions(decoded) }
}

/// Passes over chosen failures of the moment: exceptions for those that the options name (SecTrust.cpp `SecTrustSetOptions`).
///
/// - Parameters:
///   - trustRef: The question, which is evaluated.
///   - options: The options. What is passed over already stays so.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetOptions(_ trustRef: SecTrust, _ options: SecTrustOptionFlags) -> OSStatus {
    trustRef.change { state in
        let path = state.verifiedPath()
        let current = state.question.currentExceptions().filtered { check, index in
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
    /// The question at the moment that is judged.
    fileprivate func question() -> Trust {
        self.read { state in
            _ = state.verifyDate()
            return state.question
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
