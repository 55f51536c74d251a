//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What decides whether a destination needs TLS, in the order of SecProtocolConfiguration.m.
enum ATSDecision: Sendable, Hashable {
    /// The system has no App Transport Security, or it does not concern the client.
    case noTransportSecurity
    /// An exception, before everything else.
    case exception(Int)
    /// The destination is local, and nothing says that this does not matter.
    case local
    /// The client is free of it, by a key of its own.
    case freeClient(ATSKey)
    /// Everything is allowed.
    case arbitraryLoads
    /// TLS, and keys that take the one that allows everything out of force.
    case secured(by: [ATSKey])
    /// TLS, as nothing says otherwise.
    case byDefault
    /// What the system demands for device management.
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
        if globals.localNetworking?.value.isOn ?? true, self.isLocal(destination) { return .local }
        if self.opensAddresses, destination.address != nil, destination.isLocal == nil { return .local }
        if client == .media, globals.media?.value.isOn == true { return .freeClient(.allowsArbitraryLoadsForMedia) }
        if client == .webContent, globals.webContent?.value.isOn == true {
            return .freeClient(.allowsArbitraryLoadsInWebContent)
        }
        guard globals.arbitraryLoads?.value.isOn == true else { return .byDefault }
        let keys = self.securingKeys
        return keys.isEmpty ? .arbitraryLoads : .secured(by: keys)
    }

    /// True where every address counts as local: Apple's page on `NSAllowsLocalNetworking` excepts none.
    private var opensAddresses: Bool {
        self.configuration.strictness == .documentation && self.configuration.isLocal == nil
            && self.rules.globals.localNetworking?.value.isOn == true
    }

    /// The keys that are there in whatever sense takes `NSAllowsArbitraryLoads` out of force.
    var securingKeys: [ATSKey] {
        let globals = self.rules.globals
        // The archived documentation names `NSAllowsLocalNetworking` only where it is on.
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
    /// Sets what follows.
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
    /// What is demanded where nothing is excepted.
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
        // The documentation lets go of the keys' size with it; the engine does not.
        if self.strictness == .documentation { (self.minimumRSAKeySize, self.minimumECKeySize) = (nil, nil) }
    }
}
