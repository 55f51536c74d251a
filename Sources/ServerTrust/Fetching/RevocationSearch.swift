//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// A certificate of unknown status, with the methods to look it up, the preferred one first.
struct RevocationNeed: Sendable, Hashable {
    let index: Int
    let certificate: Certificate
    let issuer: Certificate
    let methods: [RevocationMethods]

    static func == (left: RevocationNeed, right: RevocationNeed) -> Bool {
        left.certificate == right.certificate && left.issuer == right.issuer && left.methods == right.methods
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.certificate) }
}

/// A search for revocation evidence about the certificates of a path (RFC 6960, RFC 5280 §6.3).
struct RevocationSearch: Sendable {
    let verdict: Verdict?
    let validator: PathValidator
    let intermediates: [CertificateView]
    let session: FetchSession
    let requiresNonce: Bool
    let ageLimits: RevocationAgeLimits?

    /// The evidence for one certificate.
    struct Found: Sendable {
        var responses: [RequestedOCSPResponse] = []
        var lists: [CertificateList] = []
    }

    /// Fetches evidence for a few certificates at a time.
    func run(_ needs: [RevocationNeed]) async -> [Found] {
        await withTaskGroup(of: Found.self) { group in
            var waiting = needs.makeIterator()
            for _ in 0..<max(1, self.session.options.concurrency) {
                guard let need = waiting.next() else { break }
                group.addTask { await self.search(need) }
            }
            var found: [Found] = []
            while let next = await group.next() {
                found.append(next)
                if let need = waiting.next() { group.addTask { await self.search(need) } }
            }
            return found
        }
    }

    /// Tries one method after the other, until one gives the status.
    private func search(_ need: RevocationNeed) async -> Found {
        var found = Found()
        for method in need.methods {
            let isKnown =
                method == .ocsp ? await self.askResponders(need, &found) : await self.readLists(need, &found)
            if isKnown { break }
        }
        return found
    }

    // MARK: OCSP

    private func askResponders(_ need: RevocationNeed, _ found: inout Found) async -> Bool {
        let options = self.session.options
        for url in need.certificate.view.ocspURLs.prefix(max(0, options.maximumLocations)) {
            let request = OCSPRequest(
                for: need.certificate.view, issuer: need.issuer.view, nonce: self.usesNonce ? Self.nonce() : nil)
            let source = Source(url: url, kind: .ocsp, need: need, body: request.bytes, isCached: !self.usesNonce)
            let isKnown = await self.get(source) { bytes throws(Unusable) in
                guard let response = try? OCSPResponse(der: bytes) else {
                    throw Unusable("it is no OCSP response, or one that refuses to answer")
                }
                let answer = RequestedOCSPResponse(response, to: request)
                // A useless response is kept, as it may say “revoked” under another policy.
                found.responses.append(answer)
                var policy = RevocationPolicy(.soft)
                policy.requestedResponses = [answer]
                policy.requiresNonce = self.requiresNonce
                try self.check(need, policy)
                return response.nextUpdate
            }
            if isKnown { return true }
        }
        return false
    }

    private var usesNonce: Bool { self.session.options.usesNonce || self.requiresNonce }

    private static func nonce() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<OCSPRequest.recommendedNonceSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    // MARK: Lists

    /// Fetches revocation lists. Lists with some of the reasons each may together cover all of them (RFC 5280 §5.2.5).
    private func readLists(_ need: RevocationNeed, _ found: inout Found) async -> Bool {
        for url in need.certificate.view.revocationListURLs.prefix(max(0, self.session.options.maximumLocations)) {
            let source = Source(url: url, kind: .revocationList, need: need, body: nil, isCached: true)
            let isKnown = await self.get(source) { bytes throws(Unusable) in
                guard let lists = try? CertificateList.lists(in: bytes) else {
                    throw Unusable("it is no revocation list")
                }
                found.lists += lists
                try self.check(need, RevocationPolicy(.soft, lists: found.lists))
                return lists.compactMap(\.nextUpdate).min()
            }
            if isKnown { return true }
        }
        return false
    }

    // MARK: Getting and judging

    private struct Unusable: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    private struct Source {
        let url: String
        let kind: ResourceKind
        let need: RevocationNeed
        let body: [UInt8]?
        let isCached: Bool

        /// The key for the cache. A list is the same for all certificates of its issuer, while a response is about one certificate.
        var entry: ResourceCache.Entry {
            let subjects = self.kind == .ocsp ? [self.need.certificate, self.need.issuer] : [self.need.issuer]
            return ResourceCache.Entry(self.kind, self.url, certificates: subjects)
        }
    }

    /// Takes a resource from the cache or fetches it, and checks it. Only a useful resource is cached.
    ///
    /// - Parameter judge: A function that checks the bytes. It returns the end of their validity, or throws the reason why they are
    ///   unusable.
    private func get(_ source: Source, _ judge: ([UInt8]) throws(Unusable) -> Timestamp?) async -> Bool {
        let options = self.session.options
        let cache = source.isCached ? options.cache : nil
        let order = self.session.begin()
        if let cached = cache?.data(for: source.entry, at: options.moment), (try? judge(cached)) != nil {
            self.finish(order, source, outcome: .cached)
            return true
        }
        do throws(ResourceError) {
            let bytes = try await self.session.fetch(source.url, source.kind, body: source.body)
            do throws(Unusable) {
                let end = try judge(bytes)
                cache?.store(bytes, for: source.entry, at: options.moment, until: end)
                self.finish(order, source, outcome: .used)
                return true
            } catch {
                self.finish(order, source, outcome: .unusable(error.reason))
            }
        } catch {
            self.finish(order, source, outcome: .failed(error))
        }
        return false
    }

    private func finish(_ order: Int, _ source: Source, outcome: FetchRecord.Outcome) {
        self.session.finish(
            order, url: source.url, kind: source.kind, certificate: source.need.certificate, outcome: outcome)
    }

    /// Throws unless the evidence determines the status of the certificate.
    private func check(_ need: RevocationNeed, _ policy: RevocationPolicy) throws(Unusable) {
        guard let verdict = self.verdict else { throw Unusable("there is no path") }
        var policy = policy
        policy.ageLimits = self.ageLimits
        let statuses = self.validator.revocationStatuses(of: verdict, under: policy, intermediates: self.intermediates)
        guard statuses.indices.contains(need.index) else { throw Unusable("there is no path") }
        switch statuses[need.index] {
        case .good, .revoked: return
        case .unknown(.noInformation): throw Unusable("it is not about the certificate")
        case .unknown(.notUsable): throw Unusable("it is not current, not authentic, or does not cover everything")
        }
    }
}
