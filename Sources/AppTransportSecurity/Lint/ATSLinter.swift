//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A linter that finds keys and values of an Info.plist with another effect than they seem to have.
///
/// ```swift
/// let plist = try InfoPropertyList(contentsOf: "Info.plist")
/// for finding in ATSLinter().findings(in: plist) { print(finding) }
/// ```
///
/// The result depends only on the file and the settings. ``ATSRule`` lists all rules.
public struct ATSLinter: Sendable {
    /// The release of Apple's systems on which the app runs.
    public var system: ATSSystem
    /// The reading of the rules.
    public var strictness: ATSStrictness

    /// The maximum number of findings, of which the worst are kept. A person fixes no more at once.
    public static let maximumFindings = 1_000

    /// Creates a linter for a release and a reading of the rules.
    public init(system: ATSSystem = .newest, strictness: ATSStrictness = .engine) {
        self.system = system
        self.strictness = strictness
    }

    /// Returns all findings about an Info.plist.
    ///
    /// - Parameter propertyList: The Info.plist. Without `NSAppTransportSecurity` all defaults apply, and only misplaced or
    ///   misspelled keys are found.
    /// - Returns: The findings in the order of the file.
    public func findings(in propertyList: InfoPropertyList) -> [ATSFinding] {
        var log = LintLog()
        RootLint(propertyList).report(to: &log)
        if let dictionary = propertyList.transportSecurity { self.report(dictionary, to: &log) }
        return log.sorted
    }

    /// Returns all findings about a dictionary `NSAppTransportSecurity`.
    ///
    /// - Parameter dictionary: The dictionary.
    /// - Returns: The findings in the order of the file.
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
        // GlobalLint reports pins that the system does not read.
        if self.system.readsPinnedDomains { PinLint(policy).report(to: &log) }
    }
}
