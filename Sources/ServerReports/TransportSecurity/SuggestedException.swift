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

/// A server and what there is to do about it.
package struct SuggestedException: Sendable {
    let server: String
    let suggestion: ATSSuggestion
    /// Whether it was described, so that no connection was made.
    let isDescribed: Bool
    /// What was found out where there was a connection.
    var diagnosed: DiagnosedServer?

    package init(server: String, suggestion: ATSSuggestion, isDescribed: Bool, diagnosed: DiagnosedServer? = nil) {
        self.server = server
        self.suggestion = suggestion
        self.isDescribed = isDescribed
        self.diagnosed = diagnosed
    }

    /// The name of the server; `nil` where it was only described.
    var host: String? { self.diagnosed?.endpoint.host.text }

    package var verdict: ReportVerdict {
        guard !self.isUnknown else { return .notEvaluated }
        if case .nothing = self.suggestion.outcome { return .trusted }
        return .notTrusted
    }

    /// What speaks against the server, in the order of the violations.
    var findings: [Finding] {
        self.suggestion.verdict.violations.map { violation in
            (self.diagnosed?.diagnosis.reason(violation, of: .plist)).map(Finding.init) ?? Finding(violation)
        }
    }

    /// What is to be known of the server besides.
    var notes: [TrustNote] {
        (self.diagnosed?.notes ?? []).filter { $0.kind == .clientCertificateRequested || $0.kind.isAboutClientIdentity }
    }

    /// Why it cannot be told what to do; `nil` where it can. That the server is not let through may be known all the same.
    package var problem: ServerFailure? {
        guard let diagnosed, self.isUnknown || self.hasUnknownExceptions(diagnosed.diagnosis) else { return nil }
        let doubt = diagnosed.diagnosis.doubts.first ?? .chain(nil)
        return ServerFailure(
            code: doubt.failure?.code ?? doubt.code, message: "\(diagnosed.endpoint): \(doubt.message) \(doubt.remedy)")
    }

    /// Whether it is not known if the server is let through.
    var isUnknown: Bool { self.diagnosed != nil && self.suggestion.verdict.outcome == .unknown }

    /// Whether nothing speaks against the server but the pins of the Info.plist.
    var lacksPinsAlone: Bool {
        self.suggestion.verdict.violations.allSatisfy { violation in
            switch violation.reason {
            case .leafNotPinned, .authorityNotPinned: true
            default: false
            }
        }
    }

    /// That no exception helps is known only where every test is known to fail.
    private func hasUnknownExceptions(_ diagnosis: ServerDiagnosis) -> Bool {
        guard case .impossible = self.suggestion.outcome else { return false }
        return diagnosis.rows.contains { $0.outcome == .unknown }
    }
}

extension ATSSuggestion.Outcome {
    /// The exception to advise beside changes at the server; `nil` without one that helps by itself. One that helps only
    /// together with the app's delegate has the app accept a chain that is not trusted, for a fault that the server mends.
    var advisedException: (fragment: String, givesUp: [ATSSuggestion.Risk])? {
        guard let exception, !exception.needsDelegate else { return nil }
        return (exception.fragment, exception.givesUp)
    }

    /// What there is to say of an exception that helps only together with the app itself; `nil` for other outcomes.
    var delegateSentence: String? {
        guard case .exceptionAndDelegate = self else { return nil }
        return
            "No exception lets it through by itself. A suggestion of exceptions names the one with which the app may "
            + "accept the chain itself."
    }

    /// The exception, what it gives up, and whether it takes the app's own delegate besides; `nil` without one.
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
    /// What stands above them; where there are none, all there is to say.
    var heading: String {
        self.isEmpty ? "It gives up nothing." : "It gives up"
    }
}
