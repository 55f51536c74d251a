//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The query of a probe, such as `target=api.example.com:443&module=ats`.
struct ProbeQuery: Sendable, Equatable {
    /// The question of a probe.
    enum Module: String, Sendable, CaseIterable {
        case ats, trust, fcp
    }

    /// The server: a host and a port, 443 unless given.
    let target: String
    let module: Module

    /// The most bytes of a query: a name has 253, and each byte may be written with three.
    static let longest = 1_024

    /// A query that cannot be answered, with the reason.
    struct Unusable: Error, Equatable {
        let reason: String
    }

    /// Reads the query of a request.
    ///
    /// - Parameter uri: The request target, such as `/probe?target=a.example`.
    init(_ uri: String) throws(Unusable) {
        guard uri.utf8.count <= Self.longest else { throw Unusable(reason: "the query is too long") }
        let query = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
        var values: [String: String] = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let value = Self.decoded(pair[1]) else {
                throw Unusable(reason: "give parameters as name=value")
            }
            let name = String(pair[0])
            guard ["target", "module"].contains(name), values.updateValue(value, forKey: name) == nil else {
                throw Unusable(reason: "the parameters are target and module, each once")
            }
        }
        guard let target = values["target"], Self.isPlain(target) else {
            throw Unusable(reason: "give target=HOST or target=HOST:PORT")
        }
        guard let module = Module(rawValue: values["module"] ?? "ats") else {
            throw Unusable(reason: "give module=ats, module=trust or module=fcp")
        }
        (self.target, self.module) = (target, module)
    }

    /// Returns text without percent-encoding (RFC 3986 §2.1), or `nil` for what is not encoded rightly, or no UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var octets: [UInt8] = []
        var rest = text.utf8[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
                return nil
            }
            octets.append(high << 4 | low)
        }
        return String(validating: octets, as: UTF8.self)
    }

    private static func digit(_ octet: UInt8) -> UInt8? {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): octet - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): octet - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): octet - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns true for text of letters, digits and what hosts and ports have besides: no URL, zone, space or control.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 300 && text.first != "#" && text.first != "{"
            && text.unicodeScalars.allSatisfy { scalar in
                !scalar.isASCII
                    || "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:[]".unicodeScalars
                        .contains(scalar)
            }
    }
}
