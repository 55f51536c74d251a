//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import ServerTrust
import Synchronization

/// A trust object: certificates, policies and anchors, with the cached result of their evaluation. A function that returns a
/// chain, a result or an error evaluates the object. A function that changes a setting discards the result (SecTrust.c).
///
/// The functions that take a trust object can be called from any thread.
public final class SecTrust: Sendable, Hashable {
    private let state: Mutex<State>

    /// Creates a trust object from a value. The anchors of the value become the system's anchors for the functions that set
    /// anchors.
    ///
    /// - Parameters:
    ///   - trust: The value.
    ///   - result: The result of its evaluation, if it is already known. Later evaluations can use the issuers that were fetched
    ///     for it.
    public init(_ trust: Trust, result: TrustResult? = nil) {
        self.state = Mutex(State(trust.adding(result?.path ?? []), result))
    }

    /// The trust object as a value, with all settings.
    public var trust: Trust { self.state.withLock(\.trust) }

    /// The result of the evaluation, which is cached.
    public var result: TrustResult { self.state.withLock { $0.evaluated() } }

    /// Returns `true` if both are the same object.
    public static func == (left: SecTrust, right: SecTrust) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Reads settings without an evaluation.
    func read<Value: Sendable>(_ body: (inout State) -> Value) -> Value { self.state.withLock { body(&$0) } }

    /// Changes settings and discards the result.
    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        self.state.withLock { state in
            state.forget()
            return body(&state)
        }
    }
}

extension Trust {
    /// Returns the value with more possible issuers.
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
    /// The leaf certificate.
    public var description: String { "<SecTrust \(self.trust.certificates.first?.description ?? "")>" }
}

extension SecTrust {
    /// The settings and the result of their evaluation.
    struct State: Sendable {
        /// The value with all settings applied.
        private(set) var trust: Trust
        private let systemAnchors: TrustAnchors
        var policies: [SecPolicy] { didSet { self.trust.policies = self.policies.map(\.policy) } }
        /// The anchors of `SecTrustSetAnchorCertificates`.
        var customAnchors: [SecCertificate]? { didSet { self.setAnchors() } }
        var trustsCustomAnchorsOnly = false { didSet { self.setAnchors() } }
        /// The caller's permission to use the network, or `nil` if it was not set.
        var allowsNetwork: Bool?
        /// The exceptions in force.
        private(set) var exceptions: TrustExceptions?
        private var result: TrustResult?
        /// The number of changes. It prevents a late result of earlier settings from being cached.
        private(set) var generation = 0

        init(_ trust: Trust, _ result: TrustResult?) {
            self.trust = trust
            self.systemAnchors = trust.anchors
            self.result = result
            if let result { self.trust.verifyDate = result.evaluationDate }
            self.policies = trust.policies.map(SecPolicy.init)
        }

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

        /// Returns the date of the evaluation: the date that was set, or the date of the first call (SecTrust.c
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

        /// Caches the result of an asynchronous evaluation, unless a setting has changed in the meantime.
        mutating func remember(_ answer: TrustResult, of generation: Int) {
            if self.generation == generation { self.result = answer }
        }

        /// Updates the anchors. Custom anchors come first (SecTrustServer.c `SecPathBuilderInit`). Roots that Apple blocks remain
        /// blocked.
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
