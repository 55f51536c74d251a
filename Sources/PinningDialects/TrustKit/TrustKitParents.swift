//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The domains of a configuration with a policy that includes their sub-domains.
struct TrustKitParents {
    private let hosts: Set<String>

    init(_ domains: [PinnedDomain]) {
        self.hosts = Set(domains.filter { $0.pins != nil && $0.subdomains == .anyDepth }.map(\.host))
    }

    /// Returns `true` if a host is below one of the domains.
    func include(_ host: String) -> Bool {
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if self.hosts.contains(String(rest)) { return true }
        }
        return false
    }
}
