//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import ServerTrust

extension Benchmarks {
    /// What it takes to find what is asked of a destination, and to read an Info.plist.
    static func transportSecurity() async throws {
        print("\n| App Transport Security | µs | × |\n|---|---|---|")
        try await Self.report(try Self.lookups(1_000) + Self.lookups(100_000), batch: 2_000)
        let plist = Array(Self.dictionary(1_000).propertyList.utf8)
        let read = try InfoPropertyList(plist)
        let policy = ATSPolicy(read)
        let destination = ATSDestination(host: "www.host501.department17.example.com")
        try await Self.report(
            [
                Contestant(name: "reading an Info.plist of 1,000 exceptions (\(plist.count >> 10) KiB)") {
                    let read = try InfoPropertyList(plist)
                    precondition(read.transportSecurity != nil)
                },
                Contestant(name: "making a policy of it") { precondition(ATSPolicy(read).dictionary.issues.isEmpty) },
                Contestant(name: "linting it") { precondition(!ATSLinter().findings(in: read).isEmpty) },
                Contestant(name: "an explanation by it") {
                    precondition(policy.explanation(for: destination).decisions.count == 5)
                },
            ], batch: 4)
    }

    /// Names, sub-domains and blocks of addresses, a third each; one in ten is pinned.
    private static func dictionary(_ count: Int) -> ATSDictionary {
        var dictionary = ATSDictionary()
        for number in 0..<count {
            var domain = ATSExceptionDomain("host\(number).department\(number % 97).example.com")
            domain.minimumTLSVersion = "TLSv1.3"
            if number % 3 == 1 { domain.includesSubdomains = true }
            if number % 3 == 2 { domain.name = "10.\(number >> 8 & 255).\(number & 255).0/\(20 + number % 8)" }
            dictionary.exceptionDomains.append(domain)
            guard number % 10 == 0 else { continue }
            var pinned = ATSPinnedDomain(domain.name)
            pinned.leafIdentities = ATSEntry([ATSEntry("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")])
            dictionary.pinnedDomains.append(pinned)
        }
        return dictionary
    }

    private static func lookups(_ count: Int) throws -> [Contestant] {
        let policy = ATSPolicy(Self.dictionary(count))
        return [
            ("a name", "host600.department18.example.com"),
            ("two labels below", "a.b.host502.department17.example.com"),
            ("a name that is no exception", "www.elsewhere.example.org"),
            ("a pinned name", "host300.department9.example.com"),
            ("an address in a block", "10.1.255.7"), ("an address in none", "203.0.113.7"),
        ].map { name, host in
            let destination = ATSDestination(host: host, isLocal: false)
            return Contestant(
                name: "\(name), among \(count.formatted(.number.locale(Locale(identifier: "en")))) domains"
            ) {
                precondition(policy.requirements(for: destination).systemMinimumVersion == .tls12)
            }
        }
    }
}
