//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity

/// The engine's decision procedure once more, written for nothing but to be read: no tables, no order of looking but that
/// of the rules.
struct NaiveTransportSecurity {
    let dictionary: ATSDictionary

    /// What is asked, as one text.
    func answer(for host: String, isLocal: Bool, client: ATSClient) -> String {
        if let domain = self.exception(for: host) {
            let http = Self.isOne(domain.allowsInsecureHTTPLoads, otherwise: false)
            let secrecy = Self.isOne(domain.requiresForwardSecrecy, otherwise: true)
            let group = secrecy ? "ats" : http ? "unrestricted" : "ats+compat"
            let known = ["TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3", "DTLSv1.0", "DTLSv1.2"]
            let minimum = domain.minimumTLSVersion.flatMap { known.contains($0.value) ? $0.value : nil } ?? "TLSv1.2"
            return "\(!http) \(minimum) \(group) \(!http) \(domain.name)"
        }
        return self.requiresTLS(isLocal, client) ? "true TLSv1.2 ats true -" : "alone"
    }

    private func requiresTLS(_ isLocal: Bool, _ client: ATSClient) -> Bool {
        if isLocal, Self.isOne(self.dictionary.allowsLocalNetworking, otherwise: true) { return false }
        if client == .media, Self.isOne(self.dictionary.allowsArbitraryLoadsForMedia, otherwise: false) { return false }
        if client == .webContent, Self.isOne(self.dictionary.allowsArbitraryLoadsInWebContent, otherwise: false) {
            return false
        }
        let others = [
            self.dictionary.allowsLocalNetworking, self.dictionary.allowsArbitraryLoadsForMedia,
            self.dictionary.allowsArbitraryLoadsInWebContent,
        ]
        if others.contains(where: { $0 != nil }) { return true }
        return !Self.isOne(self.dictionary.allowsArbitraryLoads, otherwise: false)
    }

    private static func isOne(_ flag: ATSEntry<ATSFlag>?, otherwise: Bool) -> Bool {
        switch flag?.value {
        case nil: otherwise
        case .boolean(let boolean): boolean
        case .number(let number): number == 1.0
        }
    }

    /// A name's own entry, then that of each parent that includes names below.
    private func exception(for host: String) -> ATSExceptionDomain? {
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for start in labels.indices {
            let name = Array(labels[start...].joined(separator: ".".utf8))
            let isItself = start == labels.startIndex
            guard isItself || !name.isEmpty, !name.contains(UInt8(ascii: "/")),
                let domain = self.dictionary.exceptionDomains.last(where: { $0.name.utf8.elementsEqual(name) })
            else { continue }
            if isItself || Self.isOne(domain.includesSubdomains, otherwise: false) { return domain }
        }
        return nil
    }
}
