//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

extension VerdictBasis {
    /// Returns the notes on a server's chains, each once.
    func notes(on answers: [FetchedTrustResult?]) -> [TrustNote] {
        answers.compactMap(\.self).flatMap(self.notes).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    package func notes(on answer: FetchedTrustResult) -> [TrustNote] {
        let hasLooked = answer.fetches.contains { $0.kind == .issuer }
        let own = answer.result.notes.filter { note in
            guard hasLooked, case .issuerFetchable = note.fact else { return true }
            return false
        }
        return [
            self.rootNote(on: answer.result), self.issuerNote(on: answer), self.transparencyNote(on: answer.result),
        ].compactMap(\.self) + own
    }

    /// Returns the note that a chain is trusted only because an issuer was fetched, or `nil` if none was fetched for it.
    private func issuerNote(on answer: FetchedTrustResult) -> TrustNote? {
        guard let used = answer.fetchedIssuer else { return nil }
        return TrustNote(
            .issuerFetched(url: used.url), about: used.certificate,
            at: answer.result.path.firstIndex(of: used.certificate))
    }

    /// Returns the note on an untrusted root, or `nil` if the root is not the fault or the public roots are not those of Apple's
    /// program.
    private func rootNote(on result: TrustResult) -> TrustNote? {
        guard self.publicTrust?.roots == .apple, result.anchorClass == nil, let top = result.path.last else {
            return nil
        }
        if let root = self.machineRoot(of: result.path) {
            return TrustNote(
                .rootNotInProgram(isInMachineStore: true), about: root, at: result.path.firstIndex(of: root))
        }
        guard top.isSelfIssued, result.path.count > 1 else { return nil }
        return TrustNote(
            .rootNotInProgram(isInMachineStore: self.machineStore.anchors == nil ? nil : false), about: top,
            at: result.path.count - 1)
    }

    /// Returns the root of this machine's store at the end of the path, if the path's signatures are valid and Apple's program
    /// lacks the root.
    private func machineRoot(of path: [Certificate]) -> Certificate? {
        guard let anchors = self.machineStore.anchors,
            var trust = try? Trust(
                certificates: path, policy: .basicX509, configuration: TrustConfiguration(anchors: anchors))
        else { return nil }
        trust.verifyDate = self.verifyDate
        let result = trust.evaluate()
        let isProven = result.failure?.reasons.contains { $0.reason == .badSignature } != true
        guard isProven, result.anchorClass != nil, let root = result.path.last, !self.trusts(root) else { return nil }
        return root
    }

    /// Returns `true` if the certificate is an anchor itself.
    private func trusts(_ root: Certificate) -> Bool {
        var trust = try? Trust(
            certificates: [root], policy: .basicX509, configuration: TrustConfiguration(anchors: self.anchors))
        trust?.verifyDate = self.verifyDate
        return trust?.evaluate().anchorClass != nil
    }

    /// Returns the note that Certificate Transparency is undetermined, or `nil` if it is determined.
    private func transparencyNote(on result: TrustResult) -> TrustNote? {
        guard result.isTrusted, result.certificateTransparency == .undetermined else { return nil }
        return TrustNote(.logsUnknown, about: result.path.first, at: 0)
    }
}

extension FetchedTrustResult {
    /// The fetch of an issuer that the path needs, or `nil` if it needs none.
    var fetchedIssuer: FetchRecord? {
        guard self.result.anchorClass != nil else { return nil }
        return self.fetches.first { $0.kind == .issuer && ($0.outcome == .used || $0.outcome == .cached) }
    }
}
