//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A test of `nscurl --ats-diagnostics`: a dictionary with which a load is tried.
///
/// ``ATSDiagnostics`` runs all tests against the facts about a server.
public struct ATSDiagnosticTest: Sendable, Hashable {
    /// The number of the test, from 1.
    public let number: Int
    /// The heading of the test's section.
    public let section: String
    /// The title of the test.
    public let title: String
    /// The dictionary with which the load is tried.
    public let dictionary: ATSDictionary

    /// Returns the sixteen tests of nscurl and a test for FCP_v2.1, which nscurl has since 26.4. The heading and the place of the
    /// latter are not public.
    ///
    /// - Parameters:
    ///   - host: The host for the dictionaries.
    ///   - system: The release. The last test is left out if the release does not read its key.
    public static func tests(host: String, on system: ATSSystem = .newest) -> [ATSDiagnosticTest] {
        var everything = ATSDictionary()
        everything.allowsArbitraryLoads = true
        var tests = [
            ATSDiagnosticTest(
                1, "Default ATS Secure Connection", title: "ATS Default Connection", dictionary: ATSDictionary()),
            ATSDiagnosticTest(2, "Allowing Arbitrary Loads", title: "Allow All Loads", dictionary: everything),
        ]
        for row in Self.rows where row.package == nil || system.readsNIAPKeys {
            tests.append(row.test(tests.count + 1, host))
        }
        return tests
    }

    /// The tests that relax a requirement, in the order of increasing risk.
    static let leastFirst = [3, 4, 7, 9, 10, 5, 11, 6, 12, 8, 13, 14, 15, 16, 2]

    private init(_ number: Int, _ section: String, title: String, dictionary: ATSDictionary) {
        self.number = number
        self.section = section
        self.title = title
        self.dictionary = dictionary
    }

    /// A test with an exception for the host.
    private struct Row {
        let section: String
        let title: String
        var version: ATSMinimumVersion?
        var disablesForwardSecrecy = false
        var allowsInsecureHTTP = false
        var package: NIAPTLSPackage?

        func test(_ number: Int, _ host: String) -> ATSDiagnosticTest {
            var domain = ATSExceptionDomain(host)
            domain.minimumTLSVersion = self.version.map { ATSEntry($0.rawValue) }
            domain.requiresForwardSecrecy = self.disablesForwardSecrecy ? false : nil
            domain.allowsInsecureHTTPLoads = self.allowsInsecureHTTP ? true : nil
            domain.requiresNIAPTLSPackageVersion = self.package.map { ATSEntry($0.rawValue) }
            var dictionary = ATSDictionary()
            dictionary.exceptionDomains = [domain]
            return ATSDiagnosticTest(number, "\(self.section) for \(host)", title: self.title, dictionary: dictionary)
        }
    }

    private static let versions: [ATSMinimumVersion] = [.tls13, .tls12, .tls11, .tls10]

    private static let rows: [Row] =
        Self.versions.map { Row(section: "Configuring TLS exceptions", title: $0.rawValue, version: $0) } + [
            Row(
                section: "Configuring PFS exceptions", title: "Disabling Perfect Forward Secrecy",
                disablesForwardSecrecy: true),
            Row(
                section: "Configuring PFS exceptions and allowing insecure HTTP",
                title: "Disabling Perfect Forward Secrecy and Allowing Insecure HTTP", disablesForwardSecrecy: true,
                allowsInsecureHTTP: true),
        ]
        + Self.versions.map {
            Row(
                section: "Configuring TLS exceptions with PFS disabled", title: "\($0.rawValue) with PFS disabled",
                version: $0, disablesForwardSecrecy: true)
        }
        + Self.versions.map {
            Row(
                section: "Configuring TLS exceptions with PFS disabled and insecure HTTP allowed",
                title: "\($0.rawValue) with PFS disabled and insecure HTTP allowed", version: $0,
                disablesForwardSecrecy: true, allowsInsecureHTTP: true)
        }
        + [Row(section: "Configuring NIAP TLS package requirements", title: "FCP_v2.1", package: .fcp21)]
}
