//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Dispatch
public import Foundation
public import ServerTrust

/// Evaluates the trust object and returns `true` if the certificate is trusted for all policies.
///
/// - Parameters:
///   - trust: The trust object.
///   - error: Receives the reason if it is not trusted: the code of the worst reason, in `NSOSStatusErrorDomain`.
/// - Returns: `true` if the certificate is trusted.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    let result = trust.result
    error?.pointee = result.error
    return result.isTrusted
}

/// Evaluates the trust object.
///
/// - Parameters:
///   - trust: The trust object.
///   - result: Receives the result type.
/// - Returns: `errSecSuccess`, even if the certificate is not trusted.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    SecTrustGetTrustResult(trust, result)
}

/// Evaluates the trust object and returns the result type.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    result.pointee = trust.result.type
    return errSecSuccess
}

/// Evaluates the trust object with the permitted fetches, and calls back on a queue.
///
/// - Parameters:
///   - trust: The trust object.
///   - queue: The queue for the callback. Apple's function must also be called on this queue. This one need not be.
///   - result: Receives the result, once.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    Task {
        let answer = await trust.fetchedResult()
        queue.async { result(trust, answer.isTrusted, answer.error) }
    }
    return errSecSuccess
}

/// Evaluates the trust object with the permitted fetches, and calls back on a queue.
///
/// - Parameters:
///   - trust: The trust object.
///   - queue: The queue for the callback, or `nil` for the main queue.
///   - result: Receives the result type, once.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping SecTrustCallback
) -> OSStatus {
    Task {
        let answer = await trust.fetchedResult()
        (queue ?? .main).async { result(trust, answer.type) }
    }
    return errSecSuccess
}

extension SecTrust {
    /// Evaluates the trust object with the permitted fetches, and caches the result.
    public func fetchedResult() async -> TrustResult {
        let (question, mayFetch, generation) = self.read { state in
            _ = state.verifyDate()
            return (state.trust, state.mayFetch, state.generation)
        }
        guard mayFetch, let fetching = question.configuration.fetching else { return self.result }
        guard let answer = try? await question.evaluate(fetching: fetching.fetcher, fetching.options) else {
            return self.result
        }
        self.read { $0.remember(answer.result, of: generation) }
        return answer.result
    }
}

extension TrustResult {
    var type: SecTrustResultType { SecTrustResultType(rawValue: UInt32(self.resultType.rawValue)) ?? .otherError }

    /// The reason for the refusal, or `nil` if the server is trusted.
    var error: NSError? {
        guard !self.isTrusted else { return nil }
        guard let failure else { return .security(errSecInternal, "The certificate could not be evaluated.") }
        let (worst, name) = (failure.primary, self.path.first?.subjectSummary ?? "")
        let all = failure.reasons.map {
            "Certificate \($0.certificateIndex) “\($0.certificate.subjectSummary)”: \($0.message)"
        }
        return .security(
            worst.osStatus.rawValue, "“\(name)” is not trusted. \(worst.message)", recovery: worst.remedy.advice,
            underlying: .security(worst.osStatus.rawValue, all.joined(separator: "\n")))
    }
}

/// Returns the key of the leaf certificate, without an evaluation.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { trust.trust.key.flatMap(SecKey.init(ifSupported:)) }

/// Returns the key of the leaf certificate. This is the older name of ``SecTrustCopyKey(_:)``.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Evaluates the trust object and returns the chosen path, or the best partial path. The leaf comes first.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.result.path.map(SecCertificate.init) }

/// Evaluates the trust object and returns the length of the path.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.result.path.count }

/// Evaluates the trust object and returns a certificate of the path.
///
/// - Returns: The certificate, or `nil` if the index is out of bounds.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    let path = trust.result.path
    return path.indices.contains(ix) ? SecCertificate(path[ix]) : nil
}
