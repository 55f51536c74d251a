//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust
import TLSWire

/// The checks of a single entry of `NSExceptionDomains`.
struct ExceptionLint {
    private let domain: ATSExceptionDomain
    private let policy: ATSPolicy
    private let isAddress: Bool

    private var system: ATSSystem { self.policy.configuration.system }
    private var strictness: ATSStrictness { self.policy.configuration.strictness }
    private var path: [String] { [ATSKey.exceptionDomains.rawValue, self.domain.name] }

    init(_ domain: ATSExceptionDomain, _ policy: ATSPolicy) {
        self.domain = domain
        self.policy = policy
        self.isAddress = AddressLint.isBlock(domain.name) || IPAddress(domain.name) != nil
    }

    func report(to log: inout LintLog) {
        self.name(&log)
        self.subdomains(&log)
        self.switches(&log)
        self.minimumVersion(&log)
        self.package(&log)
        self.obsoleteKeys(&log)
    }

    // MARK: Name

    private func name(_ log: inout LintLog) {
        let (name, path) = (self.domain.name, [ATSKey.section] + self.path)
        if let key = ATSKey(rawValue: name) { return log.misplaced(key, path, at: self.domain.position) }
        guard self.isAddress else {
            DomainSpelling(name, ignoresCase: false).report(name, path, at: self.domain.position, to: &log)
            return
        }
        guard self.system.readsAddressExceptions else {
            log.add(
                .ignoredBySystem, path: path, at: self.domain.position,
                message: "\(self.system) does not except addresses such as \(name.quoted), which is done since "
                    + "\(self.system.counterpart(ofIOS: 17)).",
                remedy: "Do not rely on it there, or target a later release.")
            return
        }
        AddressLint(name, path, at: self.domain.position, strictness: self.strictness).report(to: &log)
    }

    private func subdomains(_ log: inout LintLog) {
        guard let entry = self.domain.includesSubdomains, entry.value.isOn else { return }
        let path = [ATSKey.section] + self.path + [ATSKey.includesSubdomains.rawValue]
        if self.isAddress {
            log.add(
                .subdomainsOfAddress, path: path, at: entry.position,
                message: "NSIncludesSubdomains does nothing, as an address has no names below it.", remedy: "Remove it."
            )
        } else if self.strictness == .documentation {
            log.add(
                .subdomainsOneLabel, path: path, at: entry.position,
                message:
                    "As documented, the entry of \(self.domain.name.quoted) is for names one label below it, and none deeper.",
                remedy: "Add entries for the names in between, if deeper ones are meant.")
        }
    }

    // MARK: Values

    private func switches(_ log: inout LintLog) {
        if let entry = self.domain.allowsInsecureHTTPLoads {
            let key = ATSKey.exceptionAllowsInsecureHTTPLoads
            if entry.value.isOn { log.justification(key, self.path, at: entry.position) }
            if entry.value == .boolean(false) { log.isDefault(key, "false", path: self.path, at: entry.position) }
        }
        if let entry = self.domain.requiresForwardSecrecy, entry.value == .boolean(true) {
            log.isDefault(.exceptionRequiresForwardSecrecy, "true", path: self.path, at: entry.position)
        }
    }

    private func minimumVersion(_ log: inout LintLog) {
        guard let entry = self.domain.minimumTLSVersion else { return }
        let key = ATSKey.exceptionMinimumTLSVersion
        let path = [ATSKey.section] + self.path + [key.rawValue]
        let minimum = ATSMinimumVersion(text: entry.value, self.strictness)
        guard let version = minimum?.version else {
            let outcome =
                minimum == nil
                ? "is not a value of this key, so TLS 1.2 remains the minimum"
                : "is of DTLS, which no load over TLS meets"
            let (remedy, replacement) = self.remedy(forVersion: entry.value)
            log.add(
                .invalidMinimumVersion, path: path, at: entry.position, message: "\(entry.value.quoted) \(outcome).",
                remedy: remedy, replacement: replacement)
            return
        }
        if version == .tls12 { log.isDefault(key, "TLSv1.2", path: self.path, at: entry.position) }
        if version < self.system.minimumTLSVersion {
            log.add(
                .refusedMinimumVersion, path: path, at: entry.position,
                message: "\(self.system) speaks no TLS below 1.2, whatever the exception says.",
                remedy: "Have the server speak TLS 1.2, and remove the key.")
        }
        if version < .tls12 { log.justification(key, self.path, at: entry.position) }
    }

    /// Returns the remedy for a text that is no version, and the text to write in its place. A version that the system does not
    /// speak would be the next finding.
    private func remedy(forVersion text: String) -> (String, replacement: String?) {
        guard let meant = Self.meant(by: text) else {
            return ("Write \(self.isModern ? "" : "TLSv1.0, TLSv1.1, ")TLSv1.2 or TLSv1.3.", nil)
        }
        let isSpoken = !self.isModern || !["TLSv1.0", "TLSv1.1"].contains(meant)
        return isSpoken ? ("Write \(meant).", meant) : ("Remove the key: \(self.system) speaks no TLS below 1.2.", nil)
    }

    /// `true` if the system speaks no TLS below 1.2.
    private var isModern: Bool { self.system.minimumTLSVersion >= .tls12 }

    /// Returns the version with the digits of the text.
    private static func meant(by text: String) -> String? {
        guard text.utf8.count <= 32 else { return nil }
        let digits = text.filter { $0.isASCII && $0.isNumber || $0 == "." }
        return digits.count < 3 ? nil : ["TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"].first { $0.hasSuffix(digits) }
    }

    private func package(_ log: inout LintLog) {
        guard let entry = self.domain.requiresNIAPTLSPackageVersion else { return }
        let key = ATSKey.exceptionRequiresNIAPTLSPackageVersion
        PackageLint(key, entry, path: self.path, system: self.system).report(to: &log)
        let demandsPackage = self.policy.dictionary.requiresNIAPTLSPackageVersion != nil
        guard NIAPTLSPackage(entry.value) == NIAPTLSPackage.none, !demandsPackage else { return }
        log.isDefault(key, "none", path: self.path, at: entry.position)
    }

    private func obsoleteKeys(_ log: inout LintLog) {
        let obsolete = self.domain.obsoleteKeys.sorted { $0.key.rawValue < $1.key.rawValue }
        for (key, position) in obsolete {
            let replacement = key.replacement?.rawValue
            log.add(
                .obsoleteKey, path: [ATSKey.section] + self.path + [key.rawValue], at: position,
                message: "\(key.rawValue) is a name of iOS 9's time, which no engine of known source reads.",
                remedy: "Write \(replacement ?? "the key of today").", replacement: replacement)
        }
        guard let entry = self.domain.requiresCertificateTransparency else { return }
        log.add(
            .obsoleteKey, path: [ATSKey.section] + self.path + [ATSKey.requiresCertificateTransparency.rawValue],
            at: entry.position,
            message: "NSRequiresCertificateTransparency is obsolete: it is always required, and this is not read.",
            remedy: "Remove it.")
    }
}
