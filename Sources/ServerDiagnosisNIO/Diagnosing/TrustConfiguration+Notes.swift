//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

extension TrustConfiguration {
    /// What is to be known of the chains of a server besides the verdicts, each thing once.
    func notes(on answers: [FetchedTrustResult?]) -> [String] {
        answers.compactMap(\.self).flatMap(self.notes).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// What is to be known of a chain besides the verdict, each thing in a sentence or two.
    package func notes(on answer: FetchedTrustResult) -> [String] {
        [
            self.rootNote(on: answer.result), self.issuerNote(on: answer), self.transparencyNote(on: answer.result),
        ].compactMap(\.self)
    }

    /// That the chain is trusted only because an issuer was fetched; `nil` where nothing was fetched for it.
    private func issuerNote(on answer: FetchedTrustResult) -> String? {
        guard let used = answer.fetchedIssuer else { return nil }
        let subject = used.certificate.subjectSummary
        return "The server does not send the issuer of “\(subject)”. It was fetched from \(used.url), as "
            + "Apple's systems do; clients that fetch nothing refuse the server. Have it send the whole chain."
    }

    /// What is to be known of a root that is not trusted, in one or two sentences; `nil` where the root is not the fault, or
    /// public roots are not those of Apple's program.
    private func rootNote(on result: TrustResult) -> String? {
        guard self.publicTrust?.roots == .apple, result.anchorClass == nil, let top = result.path.last else {
            return nil
        }
        if let root = self.machineRoot(of: result.path) {
            return "The root “\(root.subjectSummary)” is not in Apple's program; this machine's store has it. "
                + "To trust it here, add --roots system. Apple's devices trust it once it is installed on them."
        }
        guard top.isSelfIssued else { return nil }
        return self.machineStore.anchors == nil
            ? "The root “\(top.subjectSummary)” is not in Apple's program."
            : "The root “\(top.subjectSummary)” is in neither Apple's program nor this machine's store."
    }

    /// The root of this machine's store that the path leads to, where the path is proven and Apple's program lacks the root.
    private func machineRoot(of path: [Certificate]) -> Certificate? {
        guard let anchors = self.machineStore.anchors,
            var trust = try? Trust(certificates: path, policy: .basicX509, anchors: anchors)
        else { return nil }
        trust.verifyDate = self.verifyDate
        let result = trust.evaluate()
        let isProven = result.failure?.reasons.contains { $0.reason == .badSignature } != true
        guard isProven, result.anchorClass != nil, let root = result.path.last, !self.trusts(root) else { return nil }
        return root
    }

    /// Whether a certificate is an anchor by itself.
    private func trusts(_ root: Certificate) -> Bool {
        var trust = try? Trust(certificates: [root], policy: .basicX509, anchors: self.anchors)
        trust?.verifyDate = self.verifyDate
        return trust?.evaluate().anchorClass != nil
    }

    /// What certificate transparency leaves open, in one sentence; `nil` where it leaves nothing open.
    private func transparencyNote(on result: TrustResult) -> String? {
        guard result.isTrusted, result.certificateTransparency == .undetermined else { return nil }
        return "Whether enough logs have signed the certificate is not known: newer data of Apple's may know its logs "
            + "(docs/apple-data.md says how to update)."
    }
}

extension FetchedTrustResult {
    /// The fetch of an issuer that the path needs; `nil` where it needs none.
    var fetchedIssuer: FetchRecord? {
        guard self.result.anchorClass != nil else { return nil }
        return self.fetches.first { $0.kind == .issuer && ($0.outcome == .used || $0.outcome == .cached) }
    }
}
