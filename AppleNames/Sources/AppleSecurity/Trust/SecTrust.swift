//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import ServerTrust
import Synchronization

/// A question of trust that remembers its answer. Reading a chain, a result or an error evaluates, setting anything forgets
/// (SecTrust.c).
///
/// The functions that take one can be called from any thread.
public final class SecTrust: Sendable, Hashable {
    private let state: Mutex<State>

    /// A question of a value. Its anchors are what the system trusts, for the functions that set anchors.
    ///
    /// - Parameters:
    ///   - trust: The question.
    ///   - result: The answer to it, where it was found already. What was fetched for it stands behind the certificates of the
    ///     question, for later answers.
    public init(_ trust: Trust, result: TrustResult? = nil) {
        self.state = Mutex(State(trust.adding(result?.path ?? []), result))
    }

    /// The question as a value, with everything that was set.
    public var trust: Trust { self.state.withLock(\.question) }

    /// The answer, which is remembered.
    public var result: TrustResult { self.state.withLock { $0.evaluated() } }

    /// True if two are the same object.
    public static func == (left: SecTrust, right: SecTrust) -> Bool { left === right }

    /// Feeds the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Reads what was set, without evaluating.
    func read<Value: Sendable>(_ body: (inout State) -> Value) -> Value { self.state.withLock { body(&$0) } }

    /// Sets something, and forgets the answer.
    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        self.state.withLock { state in
            state.forget()
            return body(&state)
        }
    }
}

extension Trust {
    /// The same question with more possible issuers.
    fileprivate func adding(_ issuers: [Certificate]) -> Trust {
        let new = issuers.filter { !self.certificates.contains($0) }
        guard !new.isEmpty,
            let trust = try? Trust(
                certificates: self.certificates + new, policies: self.policies, configuration: self.configuration)
        else { return self }
        return trust
    }
}

extension SecTrust: CustomStringConvertible {
    /// The certificate in question.
    public var description: String { "<SecTrust \(self.trust.certificates.first?.description ?? "")>" }
}

extension SecTrust {
    /// The settings, and the answer to them.
    struct State: Sendable {
        /// The question, as far as no function below sets it.
        private(set) var trust: Trust
        private let systemAnchors: TrustAnchors
        var policies: [SecPolicy] { didSet { self.trust.policies = self.policies.map(\.policy) } }
        /// `SecTrustSetAnchorCertificates`.
        var customAnchors: [SecCertificate]? { didSet { self.setAnchors() } }
        var trustsCustomAnchorsOnly = false { didSet { self.setAnchors() } }
        /// The caller's setting for the network; `nil` before it is set.
        var allowsNetwork: Bool?
        /// Those in force.
        private(set) var exceptions: TrustExceptions?
        private var result: TrustResult?
        /// Grows with each setting, so that a late answer to an earlier question is not remembered.
        private(set) var generation = 0

        init(_ trust: Trust, _ result: TrustResult?) {
            self.trust = trust
            self.systemAnchors = trust.anchors
            self.result = result
            if let result { self.trust.verifyDate = result.evaluationDate }
            self.policies = trust.policies.map(SecPolicy.init)
        }

        /// The question with everything that was set.
        var question: Trust { self.trust }

        mutating func update(_ body: (inout Trust) -> Void) { body(&self.trust) }

        mutating func setExceptions(_ exceptions: TrustExceptions?) -> Bool {
            let wereSet = self.trust.setExceptions(exceptions)
            self.exceptions = wereSet ? exceptions : nil
            return wereSet
        }

        mutating func forget() {
            self.result = nil
            self.generation &+= 1
        }

        /// The moment that is judged: the one that was set, or that of the first question about it (SecTrust.c
        /// `SecTrustGetVerifyTime`).
        mutating func verifyDate() -> Date {
            if let date = self.trust.verifyDate { return date }
            let now = Date()
            self.trust.verifyDate = now
            return now
        }

        mutating func evaluated() -> TrustResult {
            if let result { return result }
            _ = self.verifyDate()
            let answer = self.trust.evaluate()
            self.result = answer
            return answer
        }

        /// Remembers an answer that was found elsewhere, unless something was set meanwhile.
        mutating func remember(_ answer: TrustResult, of generation: Int) {
            if self.generation == generation { self.result = answer }
        }

        /// Anchors of one's own come first (SecTrustServer.c `SecPathBuilderInit`). Roots that Apple blocks stay blocked.
        private mutating func setAnchors() {
            guard let custom = self.customAnchors?.map(\.certificate) else {
                self.trust.anchors = self.trustsCustomAnchorsOnly ? self.only([]) : self.systemAnchors
                return
            }
            guard !self.trustsCustomAnchorsOnly else {
                self.trust.anchors = self.only(custom)
                return
            }
            self.trust.anchors = custom.reduce(self.systemAnchors) { $0.adding($1) }
        }

        private func only(_ certificates: [Certificate]) -> TrustAnchors {
            var anchors = TrustAnchors.only(certificates)
            anchors.blockedRoots = self.systemAnchors.blockedRoots
            return anchors
        }
    }
}
