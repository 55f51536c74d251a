//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import ReportSupport
import ServerDiagnosis
import ServerTrustNIO
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import ServerReports

private let separator = String(repeating: "=", count: 80)

/// The sections of nscurl's output, and how many tests each has.
private let sections: [(String, Int)] = [
    ("Default ATS Secure Connection", 1), ("Allowing Arbitrary Loads", 1), ("Configuring TLS exceptions for a.test", 4),
    ("Configuring PFS exceptions for a.test", 1),
    ("Configuring PFS exceptions and allowing insecure HTTP for a.test", 1),
    ("Configuring TLS exceptions with PFS disabled for a.test", 4),
    ("Configuring TLS exceptions with PFS disabled and insecure HTTP allowed for a.test", 4),
]

@Suite("Output as nscurl writes it", .limitedConcurrency)
struct NSCurlTests {
    private func text(
        _ suites: [(TLSProtocolVersion, [UInt16])] = [(.tls12, [0x009D])], _ facts: ServerFacts? = nil, isVerbose: Bool,
        on release: Int = 18
    ) async throws -> String {
        let fixture = try DiagnosisFixture()
        let server = try await fixture.server(
            facts ?? fixture.facts(suites), url: "https://a.test/path?q=1", on: ATSSystem(.iOS, release))
        return NSCurlText(isVerbose: isVerbose, process: "9207:5187047").text(of: server)
    }

    @Test("The beginning is nscurl's, to the byte")
    func beginning() async throws {
        let expected = """
            Starting ATS Diagnostics

            Configuring ATS Info.plist keys and displaying the result of HTTPS loads to https://a.test/path?q=1.
            A test will "PASS" if URLSession:task:didCompleteWithError: returns a nil error.
            Use '--verbose' to view the ATS dictionaries used and to display the error received in URLSession:task:didCompleteWithError:.
            \(separator)

            Default ATS Secure Connection
            ---
            ATS Default Connection
            2027-01-15 08:00:00.250 nscurl[9207:5187047] NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9824)
            Result : FAIL
            ---

            \(separator)

            Allowing Arbitrary Loads

            ---
            Allow All Loads
            Result : PASS
            ---

            \(separator)

            Configuring TLS exceptions for a.test

            ---
            TLSv1.3
            2027-01-15 08:00:00.250 nscurl[9207:5187047] NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9836)
            Result : FAIL
            ---

            ---
            TLSv1.2

            """
        #expect(try await self.text(isVerbose: false).hasPrefix(expected))
    }

    @Test("With --verbose there are dictionaries and errors, and no hint")
    func verbose() async throws {
        let text = try await self.text(isVerbose: true)
        #expect(!text.contains("Use '--verbose'"))
        let expected = """
            ---
            TLSv1.3
            ATS Dictionary:
            {
                NSExceptionDomains =     {
                    "a.test" =         {
                        NSExceptionMinimumTLSVersion = "TLSv1.3";
                    };
                };
            }
            2027-01-15 08:00:00.250 nscurl[9207:5187047] NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9836)
            Result : FAIL
            Error : Error Domain=NSURLErrorDomain Code=-1200 "An SSL error has occurred and a secure connection to the server cannot be made." UserInfo={_kCFStreamErrorCodeKey=-9836, NSLocalizedRecoverySuggestion=Would you like to connect to the server anyway?,
            """
        #expect(text.contains(expected))
        #expect(text.contains("ATS Default Connection\nATS Dictionary:\n{\n}\n"))
    }

    @Test("Every section, every test and every blank line is in its place", arguments: [true, false])
    func shape(isVerbose: Bool) async throws {
        let text = try await self.text([(.tls13, [0x1301])], isVerbose: isVerbose)
        var parts = text.components(separatedBy: separator + "\n")
        #expect(parts.removeFirst().hasPrefix("Starting ATS Diagnostics\n\n"))
        #expect(parts.removeLast() == "")
        #expect(parts.count == sections.count)
        for (index, (part, (title, count))) in zip(parts, sections).enumerated() {
            #expect(part.hasPrefix("\n\(title)\n\(index == 0 ? "" : "\n")---\n"))
            #expect(part.hasSuffix("Result : PASS\n---\n\n"))
            #expect(part.components(separatedBy: "Result : PASS\n---\n\n").count == count + 1)
        }
    }

    @Test("FCP_v2.1 comes last, on releases that know it")
    func fcp() async throws {
        let text = try await self.text(isVerbose: false, on: 27)
        let expected = "Configuring NIAP TLS package requirements for a.test\n\n---\nFCP_v2.1\n"
        #expect(text.contains(expected))
        #expect(text.hasSuffix("Result : FAIL\n---\n\n\(separator)\n"))
    }

    @Test(
        "What is not known is a load that fails with the error of the question",
        arguments: [
            (ConnectionFailure.hostNotFound, -1003, "A server with the specified hostname could not be found."),
            (.connectionRefused, -1004, "Could not connect to the server."),
            (.timedOut(.silent), -1001, "The request timed out."),
            (.closed, -1200, "An SSL error has occurred and a secure connection to the server cannot be made."),
        ])
    func unknown(failure: ConnectionFailure, code: Int, message: String) async throws {
        var facts = ServerFacts(plan: .ats)
        facts.failure = failure
        let text = try await self.text([], facts, isVerbose: true)
        #expect(!text.contains("PASS\n"))
        #expect(text.contains("Error : Error Domain=NSURLErrorDomain Code=\(code) \"\(message)\""))
        #expect(text.contains("HTTP load failed") == (code == -1200))
    }

    @Test(
        "A load that is redirected to plain HTTP fails there, and not at a stream",
        arguments: [(80, "http://b.test/"), (8_080, "http://b.test:8080/")])
    func insecureLoad(port: Int, url: String) async throws {
        let fixture = try DiagnosisFixture()
        let server = try await fixture.server(fixture.facts([(.tls13, [0x1301])]), url: "https://a.test/path")
        let redirects = [ATSDestination(host: "a.test"), ATSDestination(host: "b.test", scheme: .http, port: port)]
        let diagnosis = ServerDiagnosis(
            host: "a.test", facts: server.diagnosis.facts, trust: server.diagnosis.trust, redirects: redirects)
        let redirected = DiagnosedServer(
            url: server.url, endpoint: server.endpoint, diagnosis: diagnosis, date: server.date)
        let text = NSCurlText(isVerbose: true, process: "9207:5187047").text(of: redirected)
        let message =
            "The resource could not be loaded because the App Transport Security policy requires the use of a secure "
            + "connection."
        let expected =
            "\nError : Error Domain=NSURLErrorDomain Code=-1022 \"\(message)\" UserInfo={NSUnderlyingError=0x0 {Error "
            + "Domain=kCFErrorDomainCFNetwork Code=-1022 \"(null)\"}, NSErrorFailingURLStringKey=\(url), "
            + "NSErrorFailingURLKey=\(url), NSLocalizedDescription=\(message)}\n"
        #expect(text.contains(expected))
        #expect(!text.contains("_kCFStreamError") && !text.contains("HTTP load failed"))
    }
}
