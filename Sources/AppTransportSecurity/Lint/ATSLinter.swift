//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds what does not do in an Info.plist what it seems to.
///
/// ```swift
/// let plist = try InfoPropertyList(contentsOf: "Info.plist")
/// for finding in ATSLinter().findings(in: plist) { print(finding) }
/// ```
///
/// Pure: nothing is asked but the file and the settings here. ``ATSRule`` is the list of what is looked for.
public struct ATSLinter: Sendable {
    /// The release of Apple's systems the app is to run on.
    public var system: ATSSystem
    /// Whose reading of the rules holds.
    public var strictness: ATSStrictness

    /// The most findings that are returned, the worst first to be kept. A person mends no more at once.
    public static let maximumFindings = 1_000

    /// A linter for a release and a reading of the rules.
    public init(system: ATSSystem = .newest, strictness: ATSStrictness = .engine) {
        self.system = system
        self.strictness = strictness
    }

    /// Everything there is to say about an Info.plist.
    ///
    /// - Parameter propertyList: The Info.plist. Without `NSAppTransportSecurity` all defaults hold, and there is nothing
    ///   to say.
    /// - Returns: What was found, in the order of the file.
    public func findings(in propertyList: InfoPropertyList) -> [ATSFinding] {
        var log = LintLog()
        RootLint(propertyList).report(to: &log)
        if let dictionary = propertyList.transportSecurity { self.report(dictionary, to: &log) }
        return log.sorted
    }

    /// Everything there is to say about the dictionary `NSAppTransportSecurity` alone.
    ///
    /// - Parameter dictionary: The dictionary.
    /// - Returns: What was found, in the order of the file.
    public func findings(in dictionary: ATSDictionary) -> [ATSFinding] {
        var log = LintLog()
        self.report(dictionary, to: &log)
        return log.sorted
    }

    private func report(_ dictionary: ATSDictionary, to log: inout LintLog) {
        for issue in dictionary.issues { IssueLint(issue).report(to: &log) }
        guard self.system.hasAppTransportSecurity else {
            log.add(
                .ignoredBySystem, path: [ATSKey.section], at: dictionary.position,
                message: "\(self.system) has no App Transport Security, and reads none of this.",
                remedy: "Target iOS 9 or later.")
            return
        }
        let policy = ATSPolicy(
            dictionary, configuration: ATSPolicy.Configuration(system: self.system, strictness: self.strictness))
        GlobalLint(policy).report(to: &log)
        for domain in dictionary.exceptionDomains { ExceptionLint(domain, policy).report(to: &log) }
        AddressListLint(dictionary, self).report(to: &log)
        EffectLint(policy).report(to: &log)
        // Of pins that are not read, GlobalLint says so.
        if self.system.readsPinnedDomains { PinLint(policy).report(to: &log) }
    }
}
