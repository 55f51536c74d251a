//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport

/// Faults that are seldom met. They have one scene each, so that the remedy of every rule is followed.
extension Fault {
    private static func rare(_ name: String, _ scene: @escaping @Sendable () throws -> FaultScene) -> Fault {
        Fault(name, about: "", rule: "", found: "", required: "", code: "", remedy: "", scene: scene)
    }

    /// An RSA key in PKCS #1, of which no private key is known.
    private static func publicKey(octets: Int) -> [UInt8] {
        DER.sequence(
            DER.element(0x02, [0] + [UInt8](repeating: 0xC1, count: octets)), DER.element(0x02, [1, 0, 1]))
    }

    /// A pin that is the digest of a certificate, looked for in one part of the path.
    private static func confusedPin(_ scope: String, _ position: Int) -> Fault {
        Self.rare("a pin of a certificate, where keys of the \(scope) are pinned") {
            let scene = try FaultScene.leaf { _ in }
            let pinned = position < scene.chain.count ? scene.chain[position] : scene.roots[0]
            let digest = Pin(certificate: Certificate(pinned)).base64
            let file = """
                {"format": "servertrust.pins/1", "domains": [
                    {"host": "www.example.com", "scope": "\(scope)", "pins": ["sha256/\(digest)"]}]}
                """
            return scene.with(["--pins", "@pins.json"], files: ["pins.json": Array(file.utf8)])
        }
    }

    static let ofRareRules = [
        Self.confusedPin("leaf", 0), Self.confusedPin("authorities", 1), Self.confusedPin("anchor", 2),
        Self.rare("two signature algorithms") {
            try .leaf { $0.outerAlgorithm = TestAlgorithm.ecdsaSHA384.identifier }
        },
        Self.rare("an unknown signature algorithm") {
            try .leaf {
                ($0.algorithm.identifier, $0.signature) = (DER.sequence(DER.oid("1.2.3.4.5")), [1, 2, 3])
            }
        },
        Self.rare("MD5") {
            try .leaf {
                $0.algorithm.identifier = DER.sequence(DER.oid("1.2.840.113549.1.1.4"), [5, 0])
                $0.signature = [UInt8](repeating: 1, count: 256)
            }
        },
        Self.rare("a key for RSASSA-PSS alone") {
            try .leaf {
                $0.key = TestKey.rsaInfo(Self.publicKey(octets: 256), oid: "1.2.840.113549.1.1.10", parameters: [])
            }
        },
        Self.rare("an issuer's key on secp256k1") {
            try .intermediate {
                $0.key = TestKey.curveInfo("1.3.132.0.10", [4] + [UInt8](repeating: 7, count: 64))
            }
        },
        Self.rare("a weak key") { try .leaf { $0.key = TestKey.rsaInfo(Self.publicKey(octets: 64)) } },
        Self.rare("no subject and no critical names") { try .leaf { $0.subject = DER.sequence() } },
        Self.rare("a malformed subject") { try .leaf { $0.subject = DER.sequence(DER.integer(1)) } },
        Self.rare("a malformed extension") { try .leaf { $0.set(TestExtension("2.5.29.15", [1])) } },
        Self.rare("an intermediate of version 1") { try .intermediate { $0.makeVersion1() } },
        Self.rare("a form rule") {
            try FaultScene.leaf { $0.subject = TestDER.name([[.cn("other.example.com")]]) }
                .with(["--profile", "webpki"])
        },
        Self.rare("a feature that the issuer demands") {
            var scene = try FaultScene.intermediate { $0.set(.tlsFeature([17])) }
            scene.arguments = ["--must-staple"]
            return scene
        },
        Self.rare("a path that is too long") {
            var scene = try FaultScene.leaf { _ in }
            let others = (0..<40).map { CraftedAuthority("Fault CA \($0)", .p256(600 + $0)) }
            scene.chain = [scene.chain[0], try others[0].authority(FaultScene.issuer)]
            scene.chain += try zip(others, others.dropFirst()).map { try $1.authority($0) }
            return scene
        },
    ]
}
