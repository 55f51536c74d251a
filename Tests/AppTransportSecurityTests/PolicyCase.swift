//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import Testing

/// A dictionary, a destination, and what is asked of a connection to it.
struct PolicyCase: Sendable, CustomTestStringConvertible {
    let dictionary: String
    let host: String
    var isLocal: Bool? = false
    var client = ATSClient.app
    var system = ATSSystem(.iOS, 26)
    /// What the engine asks, as ``summary(of:)`` writes it.
    let engine: String
    /// What the documentation asks; the same, unless it is given.
    let documentation: String

    init(
        _ dictionary: String, _ host: String, isLocal: Bool? = false, client: ATSClient = .app,
        on system: ATSSystem = ATSSystem(.iOS, 26), _ engine: String, documented: String? = nil
    ) {
        self.dictionary = dictionary
        self.host = host
        self.isLocal = isLocal
        self.client = client
        self.system = system
        self.engine = engine
        self.documentation = documented ?? engine
    }

    var testDescription: String { "\(self.system) \(self.client) \(self.host) \(self.dictionary)" }

    func check(_ strictness: ATSStrictness, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let requirements = try Self.policy(self.dictionary, self.system, strictness)
            .requirements(for: ATSDestination(host: self.host, isLocal: self.isLocal), client: self.client)
        let expected = strictness == .engine ? self.engine : self.documentation
        #expect(Self.summary(of: requirements) == expected, sourceLocation: sourceLocation)
    }

    /// The policy of an Info.plist in JSON with a dictionary, which may be left empty for one without.
    static func policy(
        _ dictionary: String, _ system: ATSSystem = ATSSystem(.iOS, 26), _ strictness: ATSStrictness = .engine
    ) throws -> ATSPolicy {
        let section = dictionary.isEmpty ? "" : #", "NSAppTransportSecurity": \#(dictionary)"#
        let plist = try InfoPropertyList(Array(#"{"CFBundleName": "Example"\#(section)}"#.utf8))
        return ATSPolicy(plist, configuration: .init(system: system, strictness: strictness))
    }

    /// `tls TLSv1.2 ats checks`, `http TLSv1.0 unrestricted by legacy.example.com`, or `alone`.
    static func summary(of requirements: ATSRequirements) -> String {
        guard let minimum = requirements.minimumTLSVersion, let group = requirements.cipherSuiteGroup else {
            #expect(!requirements.requiresTLS && !requirements.isEnforced && requirements.requiresForwardSecrecy == nil)
            return requirements.niapPackage == .none ? "alone" : "alone \(requirements.niapPackage.rawValue)"
        }
        #expect(requirements.requiresForwardSecrecy == (group == .ats), "forward secrecy goes with the suites")
        #expect(requirements.requiresTLS == requirements.isEnforced)
        let words = [
            requirements.requiresTLS ? "tls" : "http", minimum.rawValue, group.rawValue,
            requirements.isEnforced ? "checks" : nil,
            requirements.niapPackage == .none ? nil : requirements.niapPackage.rawValue,
            requirements.exception.map { "by \($0.name)" },
        ]
        return words.compactMap(\.self).joined(separator: " ")
    }
}
