//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A test of `nscurl --ats-diagnostics`: a dictionary that a load is tried with.
public struct ATSDiagnosticTest: Sendable, Hashable {
    /// Its place, from 1.
    public let number: Int
    /// The heading of its section.
    public let section: String
    /// Its title.
    public let title: String
    /// The dictionary.
    public let dictionary: ATSDictionary

    /// The sixteen tests of nscurl, and the one for FCP_v2.1 that there is since 26.4, of whose heading and place nothing is
    /// public.
    ///
    /// - Parameters:
    ///   - host: The host, as the dictionaries name it.
    ///   - system: The release; the last test is left out where its key means nothing.
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

    /// The tests that loosen something, those first that give up least.
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
