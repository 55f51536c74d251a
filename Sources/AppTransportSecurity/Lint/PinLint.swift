//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The checks of the entries of `NSPinnedDomains`.
struct PinLint {
    private let policy: ATSPolicy
    private let domains: [ATSPinnedDomain]
    private let tallies: PinTallies

    init(_ policy: ATSPolicy) {
        self.policy = policy
        self.domains = policy.dictionary.pinnedDomains
        self.tallies = PinTallies(self.domains)
    }

    func report(to log: inout LintLog) {
        var seen: [String: String] = [:]
        for domain in self.domains {
            let path = [ATSKey.section, ATSKey.pinnedDomains.rawValue, domain.name]
            if let first = seen.updateValue(domain.name, forKey: domain.name.lowercased()) {
                log.add(
                    .mergedPinnedDomains, path: path, at: domain.position,
                    message: "\(domain.name.quoted) and \(first.quoted) are one name, and their pins count together.",
                    remedy: "Write one entry with the pins of both.")
            }
            self.name(domain, path, into: &log)
            self.subdomains(domain, path, into: &log)
            self.identities(domain, path, into: &log)
            self.bypass(domain, path, into: &log)
        }
    }

    // MARK: Name

    private func name(_ domain: ATSPinnedDomain, _ path: [String], into log: inout LintLog) {
        if let key = ATSKey(rawValue: domain.name) {
            log.misplaced(key, path, at: domain.position)
        } else if AddressLint.isBlock(domain.name) {
            log.add(
                .pinnedAddress, as: .error, path: path, at: domain.position,
                message: "\(domain.name.quoted) is a block of addresses, which pins are never looked up by.",
                remedy: "Write the names of the hosts.")
        } else if IPAddress(domain.name) != nil {
            log.add(
                .pinnedAddress, path: path, at: domain.position,
                message:
                    "\(domain.name.quoted) is an address. The documentation knows of names only, and Apple's engine compares "
                    + "it as text.", remedy: "Write the name of the host.")
            AddressLint(domain.name, path, at: domain.position, strictness: .engine).report(to: &log)
        } else {
            DomainSpelling(domain.name, ignoresCase: true).report(domain.name, path, at: domain.position, to: &log)
        }
    }

    private func subdomains(_ domain: ATSPinnedDomain, _ path: [String], into log: inout LintLog) {
        guard let entry = domain.includesSubdomains else { return }
        let place = path + [ATSKey.includesSubdomains.rawValue]
        switch entry.value {
        case .number:
            let text = entry.value.isOn ? "<true/>" : "<false/>"
            log.add(
                .pinnedSubdomainsNotBoolean, as: entry.value.isOn ? .error : .note, path: place, at: entry.position,
                message:
                    "NSIncludesSubdomains is a number, and for pins counts as false: names below \(domain.name.quoted) are not "
                    + "pinned.", remedy: "Write \(text).", replacement: text)
        case .boolean(true) where IPAddress(domain.name) == nil && !AddressLint.isBlock(domain.name):
            log.add(
                .pinnedSubdomainsOneLabel, path: place, at: entry.position,
                message: "The pins of \(domain.name.quoted) are for names one label below it, and none deeper.",
                remedy: "Add entries for the names in between, if deeper ones are to be pinned.")
        case .boolean: break
        }
    }

    /// Reports plain HTTP to a pinned host, which has no key to compare. Without pins there is nothing to bypass.
    private func bypass(_ domain: ATSPinnedDomain, _ path: [String], into log: inout LintLog) {
        guard domain.leafIdentities != nil || domain.authorityIdentities != nil,
            DomainSpelling(domain.name, ignoresCase: true).faults.isEmpty
        else { return }
        var exception: ATSRuleSet.Exception?
        switch self.policy.decision(for: ATSDestination(host: domain.name.lowercased()), .app) {
        case .exception(let index): exception = self.policy.rules.exceptions[index]
        case .byDefault, .secured, .management: return
        case .noTransportSecurity, .local, .freeClient, .arbitraryLoads: break
        }
        guard exception?.allowsInsecureHTTP ?? true else { return }
        let remedy =
            exception.map { "Remove NSExceptionAllowsInsecureHTTPLoads from the entry of \($0.name.quoted)." }
            ?? "Add an empty entry for it to NSExceptionDomains, which demands https."
        log.add(
            .pinsBypassed, path: path, at: domain.position,
            message: "Plain HTTP to \(domain.name.quoted) is allowed, and its pins are not asked for there.",
            remedy: remedy)
    }

    // MARK: Pins

    private func identities(_ domain: ATSPinnedDomain, _ path: [String], into log: inout LintLog) {
        guard domain.leafIdentities != nil || domain.authorityIdentities != nil else {
            log.add(
                .nothingPinned, path: path, at: domain.position,
                message:
                    "\(domain.name.quoted) has neither NSPinnedCAIdentities nor NSPinnedLeafIdentities, and is not pinned.",
                remedy: "Add the digests of its authorities' keys, or remove the entry.")
            return
        }
        for kind in PinKind.allCases {
            guard let list = domain[kind] else { continue }
            PinListLint(domain, kind.key, list: list, path: path + [kind.key.rawValue]).report(
                host: self.tallies.host(domain.name, kind),
                below: domain.coversSubdomains ? self.tallies.below(domain.name, kind) : nil, to: &log)
        }
        let hasAuthorities = self.tallies.host(domain.name, .authorities).isPresent
        if let leaf = domain.leafIdentities, !leaf.value.isEmpty, !hasAuthorities {
            log.add(
                .leafOnlyPins, path: path + [ATSKey.pinnedLeafIdentities.rawValue], at: leaf.position,
                message: "\(domain.name.quoted) is pinned to the server's own keys alone, which change the most often.",
                remedy: "Pin its authorities in NSPinnedCAIdentities instead, or renew with the same key.")
        }
    }
}
