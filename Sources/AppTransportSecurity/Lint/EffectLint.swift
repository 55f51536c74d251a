//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The check for entries of `NSExceptionDomains` without effect, or with only a harmful one.
///
/// It removes an entry and evaluates the name, the names below it and all clients again. An empty entry therefore passes if it
/// makes a rule stricter.
struct EffectLint {
    private let policy: ATSPolicy

    init(_ policy: ATSPolicy) {
        // Pins do not depend on exceptions, and merging them for every evaluation would be slow.
        var dictionary = policy.dictionary
        dictionary.pinnedDomains = []
        self.policy = ATSPolicy(dictionary, configuration: policy.configuration)
    }

    /// The maximum number of entries, far above that of any app. Each entry requires all others to be read again.
    private static let maximumEntries = 256

    func report(to log: inout LintLog) {
        let domains = self.policy.dictionary.exceptionDomains
        guard domains.count <= Self.maximumEntries else { return }
        for (index, domain) in domains.enumerated() where self.canMatch(domain) {
            var dictionary = self.policy.dictionary
            dictionary.exceptionDomains.remove(at: index)
            let without = ATSPolicy(dictionary, configuration: self.policy.configuration)
            self.report(domain, without, into: &log)
        }
    }

    /// Returns `false` for blocks and for names that never match, which other checks report.
    private func canMatch(_ domain: ATSExceptionDomain) -> Bool {
        guard !AddressBlock.isMeant(by: domain.name) else { return false }
        // The engine compares an address as text, and hosts are looked up without brackets.
        let isBracketed = domain.name.utf8.first == UInt8(ascii: "[")
        guard !isBracketed || self.policy.configuration.strictness == .documentation else { return false }
        let destination = ATSDestination(host: domain.name)
        if destination.address != nil { return self.policy.configuration.system.readsAddressExceptions }
        return DomainSpelling(domain.name, ignoresCase: false).faults.isEmpty
    }

    private func report(_ domain: ATSExceptionDomain, _ without: ATSPolicy, into log: inout LintLog) {
        let path = [ATSKey.section, ATSKey.exceptionDomains.rawValue, domain.name]
        let destination = ATSDestination(host: domain.name)
        let opensDomain =
            domain.includesSubdomains?.value.isOn == true && !domain.name.contains(".")
            && !["local", "localhost"].contains(domain.name)
        if opensDomain, domain.allowsInsecureHTTPLoads?.value.isOn == true, destination.address == nil {
            log.add(
                .wholeDomain, path: path, at: domain.position,
                message:
                    "The entry of \(domain.name.quoted) is for every name below the top-level domain \(domain.name.quoted), and "
                    + "allows plain HTTP to all of them.",
                remedy: "Write an entry for each host that needs it.")
        } else if domain.allowsInsecureHTTPLoads?.value.isOn == true, destination.address == nil,
            without.decision(for: destination, .app) == .local
        {
            log.add(
                .localException, path: path, at: domain.position,
                message:
                    "Plain HTTP to \(domain.name.quoted) is allowed without the entry, as to every local name. With it, https "
                    + "has to meet the rules.",
                remedy: "Remove the entry, unless https to it is to be as strict as elsewhere.")
        }
        // A fault of the entry is the reason why it changes nothing, and has a remedy of its own.
        guard !log.hasError(at: path), self.isWithoutEffect(domain, destination, without: without) else { return }
        let other = without.requirements(for: destination).exception
        let reason =
            switch other {
            case .none: "all it says is what holds for every host"
            case .some(let other) where other.isBuiltIn: "the system has the same exception for \(other.name)"
            case .some(let other): "the entry of \(other.name.quoted) says the same for it"
            }
        log.add(
            .exceptionWithoutEffect, path: path, at: domain.position,
            message: "The entry of \(domain.name.quoted) changes nothing: \(reason).", remedy: "Remove it.")
    }

    private func isWithoutEffect(
        _ domain: ATSExceptionDomain, _ destination: ATSDestination, without: ATSPolicy
    ) -> Bool {
        let labels = destination.address == nil ? ["", "\(Self.label).", "\(Self.label).\(Self.label)."] : [""]
        return labels.allSatisfy { label in
            let host = ATSDestination(host: label + domain.name)
            return [ATSClient.app, .webContent, .media].allSatisfy {
                self.requirements(self.policy, host, client: $0) == self.requirements(without, host, client: $0)
            }
        }
    }

    private static let label = "any--name"

    private func requirements(_ policy: ATSPolicy, _ host: ATSDestination, client: ATSClient) -> ATSRequirements {
        var requirements = policy.requirements(for: host, client: client)
        requirements.exception = nil
        return requirements
    }
}
