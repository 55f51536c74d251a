//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
package import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSWire

/// The suggested exception for a server.
package struct SuggestedException: Sendable {
    let server: String
    let suggestion: ATSSuggestion
    /// `true` if the server was only described, so that no connection was made.
    let isDescribed: Bool
    /// The diagnosis of the server, or `nil` if there was no connection.
    var diagnosed: DiagnosedServer?

    package init(server: String, suggestion: ATSSuggestion, isDescribed: Bool, diagnosed: DiagnosedServer? = nil) {
        self.server = server
        self.suggestion = suggestion
        self.isDescribed = isDescribed
        self.diagnosed = diagnosed
    }

    /// The name of the server, or `nil` if it was only described.
    var host: String? { self.diagnosed?.endpoint.host.text }

    package var verdict: ReportVerdict {
        guard !self.isUnknown else { return .notEvaluated }
        if case .nothing = self.suggestion.outcome { return .trusted }
        return .notTrusted
    }

    /// The faults of the server, in the order of the violations.
    var findings: [Finding] {
        self.suggestion.verdict.violations.map { violation in
            (self.diagnosed?.diagnosis.reason(violation, of: .plist)).map(Finding.init) ?? Finding(violation)
        }
    }

    /// The notes about client certificates.
    var notes: [TrustNote] {
        (self.diagnosed?.notes ?? []).filter { $0.kind == .clientCertificateRequested || $0.kind.isAboutClientIdentity }
    }

    /// The reason why the suggestion is unknown, or `nil` if it is known. The server's refusal may be known in both cases.
    package var problem: ServerFailure? {
        guard let diagnosed, self.isUnknown || self.hasUnknownExceptions(diagnosed.diagnosis) else { return nil }
        let doubt = diagnosed.diagnosis.doubts.first ?? .chain(nil)
        return ServerFailure(
            code: doubt.failure?.code ?? doubt.code, message: "\(diagnosed.endpoint): \(doubt.message) \(doubt.remedy)")
    }

    /// The server as the caller named it.
    package var name: String { DisplayText.text(self.server) }

    /// The reason why an exception alone does not suffice, or `nil` if it does or if that is unknown.
    package var obstacle: String? {
        guard self.problem == nil else { return nil }
        return switch self.suggestion.outcome {
        case .nothing, .exception: nil
        case .impossible where self.lacksPinsAlone:
            "No exception lifts pins. Change the pins of the Info.plist, or the keys of the server."
        case .impossible: "No exception lets it through. The server has to change."
        case .exceptionAndDelegate:
            "No exception lets it through by itself. With this one, the app's own delegate may accept the chain, and then has "
                + "to pin it. Better, have the server use a chain that is trusted."
        }
    }

    /// `true` if it is unknown whether App Transport Security refuses the server.
    var isUnknown: Bool { self.diagnosed != nil && self.suggestion.verdict.outcome == .unknown }

    /// `true` if only the pins of the Info.plist speak against the server.
    var lacksPinsAlone: Bool {
        self.suggestion.verdict.violations.allSatisfy { violation in
            switch violation.reason {
            case .leafNotPinned, .authorityNotPinned: true
            default: false
            }
        }
    }

    /// Returns `true` if an exception might help. Only a diagnosis in which every test fails proves that none does.
    private func hasUnknownExceptions(_ diagnosis: ServerDiagnosis) -> Bool {
        guard case .impossible = self.suggestion.outcome else { return false }
        return diagnosis.rows.contains { $0.outcome == .unknown }
    }
}

extension ATSSuggestion.Outcome {
    /// The exception to recommend besides changes to the server, or `nil` if none helps by itself. An exception that also needs
    /// the app's delegate makes the app accept an untrusted chain, although the fault can be corrected on the server.
    var advisedException: (fragment: String, givesUp: [ATSSuggestion.Risk])? {
        guard let exception, !exception.needsDelegate else { return nil }
        return (exception.fragment, exception.givesUp)
    }

    /// The sentence about an exception that helps only together with the app's delegate, or `nil` for other outcomes.
    var delegateSentence: String? {
        guard case .exceptionAndDelegate = self else { return nil }
        return
            "No exception lets it through by itself. A suggestion of exceptions names the one with which the app may "
            + "accept the chain itself."
    }

    /// The exception, its risks, and whether it also needs the app's delegate, or `nil` if there is none.
    var exception: (fragment: String, propertyList: String, givesUp: [ATSSuggestion.Risk], needsDelegate: Bool)? {
        let (domain, givesUp, needsDelegate): (ATSExceptionDomain, [ATSSuggestion.Risk], Bool)
        switch self {
        case .exception(let found, let risks): (domain, givesUp, needsDelegate) = (found, risks, false)
        case .exceptionAndDelegate(let found, let risks):
            (domain, givesUp, needsDelegate) = (found, risks, true)
        case .nothing, .impossible: return nil
        }
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = [domain]
        return (dictionary.propertyListFragment, dictionary.propertyList, givesUp, needsDelegate)
    }
}

extension [ATSSuggestion.Risk] {
    /// The heading of the risks, or the whole statement if there are none.
    var heading: String {
        self.isEmpty ? "It gives up nothing." : "It gives up"
    }
}
