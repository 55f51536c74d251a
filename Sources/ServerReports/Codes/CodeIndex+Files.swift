//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import ServerTrust

// MARK: - Codes about what is given and fetched

extension CodeIndex {
    /// The codes about Info.plists, files, fetches and encodings.
    static let files: [ExplainedCode] =
        Self.lint + Self.needlessness + Self.faults + Self.timestamps + Self.fetches + Self.encodings

    private static let lint: [ExplainedCode] =
        ATSRule.allCases.map { rule in
            ExplainedCode(
                kind: .lint, id: rule.rawValue, title: rule.title, sentence: rule.help,
                remedies: [.init("Lint the file: the finding says what to write in its place.")])
        }
        + ATSSuggestion.Risk.allCases.map { risk in
            ExplainedCode(
                .lint, risk.rawValue, sentence: risk.warning,
                remedy: risk == .tls12
                    ? "Have the server speak the version that the app demands."
                    : "Mend the server, so that the exception \(risk.key.rawValue) is not needed.")
        }

    private static let needlessness = TrustEvidence.Needlessness.allCases.map { why in
        let item = TrustEvidence.Item(kind: .certificate, position: 0, name: "", use: .notNeeded(why))
        return ExplainedCode(
            .evidence, why.rawValue, sentence: "The input was \(item.message).",
            remedy: "Leave it out, or give what the answer needs. The verdict stands without it.")
    }

    private static let faults =
        RevocationFault.oneOfEach.map { fault in
            ExplainedCode(
                .evidence, fault.code,
                sentence: "The revocation list or OCSP response does not count: \(fault.clause(about: 0)).",
                remedy: "Fetch it again from the authority, or give another one.")
        } + [
            ExplainedCode(
                .evidence, "malformed", sentence: "The file cannot be read.",
                remedy: "Fetch or write it again. Show the file to see its contents."),
            ExplainedCode(
                .evidence, "used", sentence: "The input or fetched answer had a part in the verdict.",
                remedy: "Nothing is to be done."),
            ExplainedCode(
                .evidence, "cached", sentence: "An answer fetched earlier had a part in the verdict.",
                remedy: "Nothing is to be done."),
            ExplainedCode(
                .evidence, "not-needed", sentence: "The answer does not use the file.",
                remedy: "The report has the reason, with a code of its own."),
            ExplainedCode(
                .evidence, "unusable", sentence: "The input or fetched answer should have had a part and could not.",
                remedy: "The report has the reason, with a code of its own."),
        ]

    /// The codes of timestamps. `malformed` is explained together with other kinds of evidence.
    private static let timestamps = TransparencyReport.Status.allCases.filter { $0 != .malformed }.map { status in
        ExplainedCode(
            .evidence, status.rawValue, sentence: status.sentence,
            remedy: status == .valid
                ? "Nothing is to be done." : "Have the certificate issued with timestamps of logs that count.")
    }

    private static let fetches = ResourceError.Code.allCases.map { code in
        ExplainedCode(
            .fetching, code.rawValue, sentence: code.sentence,
            remedy:
                "The certificate says where to fetch: tell its authority, or give the issuer, list or response as a file."
        )
    }

    private static let encodings = DERError.Code.allCases.map { code in
        var explained = ExplainedCode(
            .encoding, code.rawValue, sentence: code.sentence,
            remedy: "Fetch the file again, or have its authority write it by the rules of DER.")
        explained.section = ("RFC 5280 §4.1", "https://www.rfc-editor.org/rfc/rfc5280#section-4.1")
        return explained
    }
}

extension TransparencyReport.Status {
    fileprivate var sentence: String {
        switch self {
        case .valid: "The timestamp counts."
        case .malformed: "The timestamp cannot be read."
        case .unknownVersion: "The timestamp is of a version that is not known."
        case .unknownLog: "No list at hand has the log of the timestamp."
        case .future: "The timestamp is from after the moment of the evaluation."
        case .retiredLog: "The timestamp was delivered apart from the certificate, and its log is retired."
        case .readOnlyLog: "The timestamp is from after its log became read-only."
        case .outsideInterval: "The log of the timestamp does not take certificates that end then."
        case .unsupportedAlgorithm: "The signature of the timestamp is of an algorithm that logs do not use."
        case .badSignature: "The log did not sign the timestamp for this certificate."
        case .notExamined: "More timestamps were delivered than are looked at."
        }
    }
}

extension ResourceError.Code {
    fileprivate var sentence: String {
        switch self {
        case .invalidURL: "The URL in the certificate cannot be used."
        case .forbiddenAddress: "The URL leads to an address or port that certificates may not choose."
        case .unreachable: "There is no such host, or no connection to it."
        case .timedOut: "Fetching took too long."
        case .tooLarge: "The answer is larger than is read."
        case .badAnswer: "The server answered with something else than was requested."
        case .limitReached: "The limit on fetches of one evaluation was reached before."
        case .cancelled: "Fetching was ended before there was an answer."
        }
    }
}

extension DERError.Code {
    fileprivate var sentence: String {
        switch self {
        case .empty: "There are no octets."
        case .tooLarge: "There are more octets than are read."
        case .truncated: "An element ends behind the end of what holds it."
        case .trailingBytes: "Octets follow the last element."
        case .unexpectedTag: "An element has another tag than its place requires."
        case .highTagNumber: "A tag number is above 30, which certificates do not use."
        case .indefiniteLength: "A length has no end, which DER forbids (X.690 §8.1.3.6)."
        case .nonMinimalLength: "A length is encoded in more octets than needed (X.690 §10.1)."
        case .invalidBoolean: "A BOOLEAN is neither 0x00 nor 0xFF (X.690 §11.1)."
        case .invalidInteger: "An INTEGER is empty, padded, negative or too large for its place."
        case .invalidBitString: "A BIT STRING has an impossible count of unused bits, or sets them."
        case .invalidObjectIdentifier: "An OBJECT IDENTIFIER is empty, or its last component has no end."
        case .invalidNull: "A NULL has content."
        case .invalidTime: "A time is not of the form that RFC 5280 prescribes, or is not a date."
        case .invalidVersion: "The version is not 1, 2 or 3, or is version 1 and written all the same."
        case .invalidSerialNumber: "The serial number is longer than authorities may write."
        case .emptyCollection: "A SET or SEQUENCE that needs an element is empty."
        case .tooManyElements: "There are more elements than certificates have."
        case .extensionsBeforeVersion3: "A certificate that is not of version 3 has extensions."
        case .malformedCriticalExtension: "A critical extension does not have its own form."
        case .invalidName: "A distinguished name is not a sequence of sets of attributes."
        case .invalidGeneralName: "A GeneralName has an unknown tag or an impossible content."
        case .invalidCombination: "A field is missing beside one that requires it, or RFC 5280 forbids it there."
        case .invalidAlgorithmParameters: "An algorithm has parameters that it does not allow."
        case .unsuccessfulResponse: "The OCSP responder answered with an error (RFC 6960 §4.2.1)."
        case .invalidPublicKey: "A public key is not of the form that its algorithm prescribes."
        }
    }
}
