//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Dispatch
public import Foundation
public import ServerTrust

/// Tells whether the certificate is trusted for everything that was asked.
///
/// - Parameters:
///   - trust: The question.
///   - error: Where it is said why not: the code of the worst reason in `NSOSStatusErrorDomain`.
/// - Returns: Whether it is trusted.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    let result = trust.result
    error?.pointee = result.error
    return result.isTrusted
}

/// Evaluates.
///
/// - Parameters:
///   - trust: The question.
///   - result: Where the type of the answer goes.
/// - Returns: `errSecSuccess`, which says nothing of trust.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    SecTrustGetTrustResult(trust, result)
}

/// The type of the answer. Evaluates.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    result.pointee = trust.result.type
    return errSecSuccess
}

/// Evaluates, with what may be fetched, and calls back on a queue.
///
/// - Parameters:
///   - trust: The question.
///   - queue: The queue. Apple's function traps elsewhere than on it, this one does not.
///   - result: Is given the answer, once.
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

/// Evaluates, with what may be fetched, and calls back on a queue.
///
/// - Parameters:
///   - trust: The question.
///   - queue: The queue; `nil` for the main one.
///   - result: Is given the type of the answer, once.
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
    /// The answer, with what may be fetched; it is remembered.
    public func fetchedResult() async -> TrustResult {
        let (question, mayFetch, generation) = self.read { state in
            _ = state.verifyDate()
            return (state.question, state.mayFetch, state.generation)
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

    /// The reason for the refusal; `nil` if the server is trusted.
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

/// The key of the certificate in question, without evaluating.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { trust.trust.key.flatMap(SecKey.init(ifSupported:)) }

/// The key of the certificate in question, by the older name of the function.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// The path that was chosen, or the best one that could be built: the server's certificate first. Evaluates.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.result.path.map(SecCertificate.init) }

/// The length of the path. Evaluates.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.result.path.count }

/// A certificate of the path. Evaluates.
///
/// - Returns: `nil` for a place that the path does not have.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    let path = trust.result.path
    return path.indices.contains(ix) ? SecCertificate(path[ix]) : nil
}
