//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rule that requires or waives TLS for a destination, in the order of SecProtocolConfiguration.m.
enum ATSDecision: Sendable, Hashable {
    /// The system has no App Transport Security, or it does not apply to the client.
    case noTransportSecurity
    /// An exception decides. It precedes all other rules.
    case exception(Int)
    /// The destination is local, and no key forbids local hosts without TLS.
    case local
    /// A key of its own frees the client.
    case freeClient(ATSKey)
    case arbitraryLoads
    /// TLS is required, because these keys override NSAllowsArbitraryLoads.
    case secured(by: [ATSKey])
    case byDefault
    /// The system's own requirements for device management apply.
    case management
}

extension ATSPolicy {
    func decision(for destination: ATSDestination, _ client: ATSClient) -> ATSDecision {
        let system = self.configuration.system
        guard system.hasAppTransportSecurity else { return .noTransportSecurity }
        guard client != .deviceManagement else {
            return system.managementRequiresFCP ? .management : .noTransportSecurity
        }
        if let index = self.exceptions.index(for: destination) { return .exception(index) }
        let globals = self.rules.globals
        let allowsLocal = globals.localNetworking?.value.isOn ?? !self.closesAddress(of: destination)
        if allowsLocal, self.isLocal(destination) { return .local }
        if self.opensAddresses, destination.address != nil, destination.isLocal == nil { return .local }
        if client == .media, globals.media?.value.isOn == true { return .freeClient(.allowsArbitraryLoadsForMedia) }
        if client == .webContent, globals.webContent?.value.isOn == true {
            return .freeClient(.allowsArbitraryLoadsInWebContent)
        }
        guard globals.arbitraryLoads?.value.isOn == true else { return .byDefault }
        let keys = self.securingKeys
        return keys.isEmpty ? .arbitraryLoads : .secured(by: keys)
    }

    /// `true` if every address counts as local: Apple's page on `NSAllowsLocalNetworking` excludes none.
    private var opensAddresses: Bool {
        self.configuration.strictness == .documentation && self.configuration.isLocal == nil
            && self.rules.globals.localNetworking?.value.isOn == true
    }

    /// Returns `true` if a destination is an address that is closed without the key. By Apple's page, the key opens addresses since
    /// iOS 17.
    private func closesAddress(of destination: ATSDestination) -> Bool {
        self.configuration.strictness == .documentation && self.configuration.isLocal == nil
            && self.configuration.system.readsAddressExceptions && destination.address != nil
            && destination.isLocal == nil
    }

    /// The keys that override `NSAllowsArbitraryLoads` in this reading of the rules.
    var securingKeys: [ATSKey] {
        let globals = self.rules.globals
        // The archived documentation mentions `NSAllowsLocalNetworking` only if it is on.
        let local =
            self.configuration.strictness == .engine
            ? globals.localNetworking != nil : globals.localNetworking?.value.isOn == true
        let isThere: [(ATSKey, Bool)] = [
            (.allowsLocalNetworking, local), (.allowsArbitraryLoadsInWebContent, globals.webContent != nil),
            (.allowsArbitraryLoadsForMedia, globals.media != nil),
        ]
        return isThere.filter(\.1).map(\.0)
    }
}

extension ATSDecision {
    func apply(_ rules: ATSRuleSet, to requirements: inout ATSRequirements) {
        requirements.niapPackage = rules.globals.package ?? .none
        switch self {
        case .noTransportSecurity: requirements.niapPackage = .none
        case .local, .freeClient, .arbitraryLoads: break
        case .secured, .byDefault: requirements.demandDefaults()
        case .management:
            requirements.demandDefaults()
            requirements.niapPackage = .fcp21
        case .exception(let index): requirements.demand(rules.exceptions[index])
        }
    }
}

extension ATSRequirements {
    fileprivate mutating func demandDefaults() {
        self.requiresTLS = true
        self.isEnforced = true
        self.minimumTLSVersion = .tls12
        self.cipherSuiteGroup = .ats
        self.requiresForwardSecrecy = true
        self.minimumRSAKeySize = 2_048
        self.minimumECKeySize = 256
        self.requiresSHA256 = true
    }

    fileprivate mutating func demand(_ exception: ATSRuleSet.Exception) {
        self.demandDefaults()
        self.exception = exception.matched
        self.requiresTLS = !exception.allowsInsecureHTTP
        self.isEnforced = !exception.allowsInsecureHTTP
        self.minimumTLSVersion = exception.minimumTLSVersion
        self.requiresForwardSecrecy = exception.requiresForwardSecrecy
        if let package = exception.package { self.niapPackage = package }
        guard !exception.requiresForwardSecrecy else { return }
        self.cipherSuiteGroup = exception.allowsInsecureHTTP ? .unrestricted : .atsAndCompatible
        // In the documentation, the exception also lifts the minimum size of keys. In the engine it does not.
        if self.strictness == .documentation { (self.minimumRSAKeySize, self.minimumECKeySize) = (nil, nil) }
    }
}
