//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustTesting
import TestSupport

/// Servers whose hosts have pins.
enum PinRows {
    static func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        let authority = try TestAuthority()
        let intermediate = try authority.issue(.intermediate())
        let other = try authority.issue(.leaf(dnsNames: ["other.test"]))
        let names = (1...5).map { "pinned\($0).test" }
        let leaf = try authority.issue(.leaf(dnsNames: names), by: intermediate)
        var old = CertificateDescription.leaf(dnsNames: ["expired.test"])
        old.setValidity(from: .seconds(-40 * 86_400), lasting: .seconds(86_400))
        let expired = try authority.issue(old, by: intermediate)
        let wrong = DoorAnswer.refused("path-not-pinned")
        let hosts: [(String, String, TestCertificate, [Pin], DoorAnswer)] = [
            ("a pin of the leaf", names[0], leaf, [try leaf.pin, try other.pin], .trusted),
            ("a pin of the intermediate", names[1], leaf, [try intermediate.pin, try other.pin], .trusted),
            ("a pin of the root", names[2], leaf, [try authority.root.pin, try other.pin], .trusted),
            ("pins of other keys", names[3], leaf, [try other.pin, try expired.pin], wrong),
            ("no pins", names[4], leaf, [], .trusted),
            (
                "a pin of a leaf that expired", "expired.test", expired, [try expired.pin, try other.pin],
                .refused("expired")
            ),
        ]
        try await withTestServer(TestTLSServer.Configuration(leaf, sending: [intermediate])) { good in
            try await withTestServer(TestTLSServer.Configuration(expired, sending: [intermediate])) { bad in
                try await body(
                    authority.root,
                    hosts.map { name, host, certificate, pins, answer in
                        let port = certificate == leaf ? good.port : bad.port
                        let chain = [certificate.der, intermediate.der]
                        return Self.row(name, DoorTarget(host: host, port: port, chain: chain, pins: pins), answer)
                    })
            }
        }
    }

    private static func row(_ name: String, _ target: DoorTarget, _ answer: DoorAnswer) -> DoorRow {
        // That pins do not match is no question of App Transport Security.
        let isPinned = answer.code == "path-not-pinned"
        let words = isPinned ? "No key or certificate of the path matches a pin" : "expired on"
        let row = DoorRow(name, target, answer, connect: isPinned ? .trusted : answer, words: words)
        return row.notAsking(Door.allCases.filter { !$0.takesPins }, "the door takes no pins")
    }
}
