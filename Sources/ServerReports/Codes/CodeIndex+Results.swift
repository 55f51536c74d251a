//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

// MARK: - Results of an evaluation

extension CodeIndex {
    static let results = TrustResultType.allCases.map(Self.code)

    private static func code(of result: TrustResultType) -> ExplainedCode {
        let (sentence, remedy) =
            switch result {
            case .invalid, .confirm, .otherError:
                ("The chain was not evaluated.", "Evaluate it, and look at the error.")
            case .proceed, .unspecified: ("The chain is trusted.", "Nothing is to be done.")
            case .deny: ("A person or an administrator decided not to trust the chain.", "Remove that decision.")
            case .recoverableTrustFailure:
                (
                    "The chain is not trusted, for a reason that a person may decide to accept.",
                    "Look for the reason: the line Trust evaluate failure in the log names it, and so does a check of the "
                        + "server."
                )
            case .fatalTrustFailure:
                (
                    "The chain is not trusted, for a reason that nothing can lift: a revoked or weak certificate.",
                    "Have the certificate issued again."
                )
            }
        return ExplainedCode(.trustResult, result.name, sentence: sentence, remedy: remedy)
    }
}
