//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The signatures one evaluation has verified, so that none is verified twice, and the budget for them.
///
/// Kept by certificate and key: however many cross-signed certificates carry one key, it costs one verification.
struct SignatureLedger {
    private var outcomes: [Entry: SignatureOutcome] = [:]
    private var remaining: Int
    private(set) var verified = 0

    private struct Entry: Hashable {
        let certificate: CertificateView
        let key: ArraySlice<UInt8>
    }

    init(budget: Int) {
        self.remaining = budget
    }

    var isExhausted: Bool { self.remaining <= 0 }

    mutating func outcome(of certificate: CertificateView, signedWith key: PublicKeySource) -> SignatureOutcome {
        let entry = Entry(certificate: certificate, key: key.bytes.slice(key.info.whole))
        if let known = self.outcomes[entry] { return known }
        guard Budget.spend(&self.remaining) else { return .budgetExhausted }
        let outcome = SignatureVerifier.verify(certificate, with: key)
        self.verified += 1
        self.outcomes[entry] = outcome
        return outcome
    }
}
