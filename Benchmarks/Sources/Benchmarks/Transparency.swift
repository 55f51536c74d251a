//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Foundation
import ServerTrust
import SwiftASN1
import X509

/// Signed certificate timestamps of logs (RFC 6962 §3.2), and what was signed.
struct Timestamps {
    private(set) var signed: [(message: [UInt8], signature: Data, key: P256.Signing.PublicKey)] =
        []
    private var list: [UInt8] = []

    init(body: [UInt8], issuer: X509.Certificate.PublicKey, logs: [P256.Signing.PrivateKey]) throws {
        var serializer = DER.Serializer()
        try serializer.serialize(issuer)
        let entry =
            [0, 1] + Array(SHA256.hash(data: serializer.serializedBytes))
            + [UInt8(body.count >> 16), UInt8(body.count >> 8 & 0xFF), UInt8(body.count & 0xFF)] + body
        let milliseconds = UInt64(Chain.now.timeIntervalSince1970 - 86_400) * 1_000
        let time = (0..<8).reversed().map { UInt8(truncatingIfNeeded: milliseconds >> ($0 * 8)) }
        for log in logs {
            let message = [0, 0] + time + entry + [0, 0]
            let signature = try log.signature(for: message)
            self.signed.append((message, signature.derRepresentation, log.publicKey))
            let identifier = Array(SHA256.hash(data: log.publicKey.derRepresentation))
            let timestamp = [0] + identifier + time + [0, 0, 4, 3] + Self.vector(Array(signature.derRepresentation))
            self.list += Self.vector(timestamp)
        }
    }

    private static func vector(_ octets: [UInt8]) -> [UInt8] {
        [UInt8(octets.count >> 8), UInt8(octets.count & 0xFF)] + octets
    }

    var `extension`: X509.Certificate.Extension {
        X509.Certificate.Extension(
            oid: [1, 3, 6, 1, 4, 1, 11129, 2, 4, 2], critical: false,
            value: Chain.tlv(0x04, Self.vector(self.list))[...])
    }
}

/// A chain with two timestamps, and the logs that signed them.
struct TimestampedChain {
    let chain: Chain
    let logs: [P256.Signing.PrivateKey]
    /// Encoded once: no server's flight is encoded by the client.
    private let (leaf, intermediate): ([UInt8], [UInt8])
    private let anchor: ServerTrust.Certificate
    private let request: TransparencyRequest

    init(root: Chain.Key, intermediate: Chain.Key, leaf: Chain.Key) throws {
        self.logs = (0..<2).map { _ in P256.Signing.PrivateKey() }
        self.chain = try Chain(root: root, intermediate: intermediate, leaf: leaf, logs: self.logs)
        self.leaf = self.chain.leaf.der
        self.intermediate = self.chain.intermediate.der
        self.anchor = try ServerTrust.Certificate(der: self.chain.root.der)
        self.request = TransparencyRequest(
            logs: TransparencyLogs(
                try self.logs.map { try TransparencyLog(subjectPublicKeyInfo: Array($0.publicKey.derRepresentation)) }))
    }

    func evaluate(asksForTimestamps: Bool = true, cache: SignatureCache? = nil) throws {
        var trust = try Trust(
            certificates: [
                ServerTrust.Certificate(der: self.leaf), ServerTrust.Certificate(der: self.intermediate),
            ], policy: .tlsServer(hostname: Chain.host), configuration: .only([self.anchor]))
        (trust.verifyDate, trust.signatureCache) = (Chain.now, cache)
        trust.transparency = asksForTimestamps ? self.request : nil
        let result = trust.evaluate()
        precondition(result.isTrusted && (!asksForTimestamps || result.certificateTransparency == .met))
    }
}

extension Benchmarks {
    /// What certificate transparency adds to an evaluation, beside its signatures.
    static func transparency() async throws {
        print("\n| chain with two timestamps | signatures alone, µs | cold | warm | the chain alone, cold |")
        print("|---|---|---|---|---|")
        for (root, intermediate, leaf) in [
            (Chain.Key.rsa4096, Chain.Key.rsa2048, Chain.Key.rsa2048), (.p384, .p256, .p256), (.rsa4096, .p256, .p256),
        ] {
            try await Self.compareTransparency(root, intermediate, leaf)
        }
        print("\n| piece | µs |\n|---|---|")
        try await Self.lists()
    }

    private static func compareTransparency(
        _ root: Chain.Key, _ intermediate: Chain.Key, _ leaf: Chain.Key
    ) async throws {
        let timestamped = try TimestampedChain(root: root, intermediate: intermediate, leaf: leaf)
        let (chain, logs) = (timestamped.chain, timestamped.logs)
        let limit = try SignatureLimit(chain)
        let body = try Timestamps(
            body: [UInt8](repeating: 0, count: 1_200), issuer: chain.leafKey.publicKey, logs: logs)
        let cache = SignatureCache(remembersLeaves: true)
        let results = try await ratios(
            [
                Contestant(name: "limit") {
                    limit.run()
                    for item in body.signed {
                        let signature = try P256.Signing.ECDSASignature(derRepresentation: item.signature)
                        precondition(item.key.isValidSignature(signature, for: item.message))
                    }
                },
                Contestant(name: "cold") { try timestamped.evaluate() },
                Contestant(name: "warm") { try timestamped.evaluate(cache: cache) },
                Contestant(name: "without") { try timestamped.evaluate(asksForTimestamps: false) },
            ], rounds: 30, batch: 40)
        let cells = results.dropFirst().map { String(format: "%.2f ×", $0.ratio) }
        print(
            "| \(chain.name) | \(String(format: "%.1f", results[0].microseconds)) | \(cells.joined(separator: " | ")) |"
        )
    }

    private static func lists() async throws {
        let logs = AppleTrustData.builtIn.logList.logs
        func text(_ log: TransparencyLog) -> String {
            let key = Data(log.subjectPublicKeyInfo).base64EncodedString()
            return
                #"{"description": "\#(log.name)", "key": "\#(key)", "state": {"usable": {"timestamp": "2024-01-01T00:00:00Z"}}}"#
        }
        let list =
            #"{"$schema": "\#(LogList.schema)", "operators": [{"name": "A", "logs": [\#(logs.map(text).joined(separator: ", "))], "tiled_logs": []}]}"#
        let contents = Array(list.utf8)
        for result in try await ratios(
            [
                Contestant(name: "read a list of \(logs.count) logs, \(contents.count / 1_024) KiB") {
                    let count = try LogList(contents: contents).logs.count
                    precondition(count == logs.count)
                }
            ], rounds: 21, batch: 20)
        {
            print("| \(result.name) | \(String(format: "%.0f", result.microseconds)) |")
        }
    }
}
