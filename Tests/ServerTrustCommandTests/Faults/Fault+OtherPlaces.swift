//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport

/// Faults of other certificates than the server's, where the same rule has another remedy.
extension Fault {
    static let ofOtherPlaces = Self.ofLeaves + Self.ofIntermediates + Self.ofRoots + Self.ofPins + Self.ofStaples

    private static func place(_ name: String, _ scene: @escaping @Sendable () throws -> FaultScene) -> Fault {
        Fault(name, about: "", rule: "", found: "", required: "", code: "", remedy: "", scene: scene)
    }

    /// A point in the form of one on a curve that is not of NIST.
    private static let otherCurve = TestKey.curveInfo("1.3.132.0.10", [4] + [UInt8](repeating: 7, count: 64))
    private static let pssKey = TestKey.rsaInfo(
        DER.sequence(DER.element(0x02, [0] + [UInt8](repeating: 0xC1, count: 256)), DER.element(0x02, [1, 0, 1])),
        oid: "1.2.840.113549.1.1.10", parameters: [])

    // MARK: Leaves

    private static let ofLeaves = [
        Self.place("an entry that voids the others, and another name") {
            try .leaf {
                let broken = Array("b".utf8) + [0xFC] + Array("cher.example.com".utf8)
                $0.set(.alternativeNames([.dnsOctets(broken), .dns("mail.example.com")]))
            }
        },
        Self.place("a server's certificate that is used as a client's") {
            var scene = try FaultScene.leaf { _ in }.with(["--policy", "tls-client"])
            scene.host = ""
            return scene
        },
    ]

    // MARK: Intermediates

    private static func intermediate(
        _ name: String, _ change: @escaping @Sendable (inout CraftedCertificate) -> Void
    ) -> Fault { Self.place("an intermediate \(name)") { try .intermediate(change) } }

    private static let ofIntermediates = [
        Self.intermediate("that is not valid yet") { $0.notBefore = DER.utcTime("260701000000Z") },
        Self.intermediate("with an unknown critical extension") {
            $0.set(TestExtension("1.2.3.4", critical: true, [5, 0]))
        },
        Self.intermediate("with a malformed extension") { $0.set(TestExtension("2.5.29.15", [1])) },
        Self.intermediate("with an extension twice") { $0.extensions.append(.keyUsage(5)) },
        Self.intermediate("over MD5") {
            $0.algorithm.identifier = DER.sequence(DER.oid("1.2.840.113549.1.1.4"), [5, 0])
            $0.signature = [UInt8](repeating: 1, count: 256)
        },
        Self.intermediate("with a key for RSASSA-PSS alone") { $0.key = Self.pssKey },
        Self.place("an intermediate with an Ed25519 key") { try Self.issued(by: .ed25519(7)) },
        Self.place("an intermediate without a subject") {
            let nameless = CraftedAuthority(name: DER.sequence(), .p256(302))
            var scene = try FaultScene.leaf { _ in }
            scene.chain = [try nameless.leaf(.p256(310)), try FaultScene.root.authority(nameless)]
            return scene
        },
        Self.place("an intermediate whose name is excluded") {
            var scene = try FaultScene.leaf { _ in }
            scene.roots = [
                try FaultScene.root.authority {
                    $0.set(.nameConstraints(excluded: [.directory([[.o("Test")], [.cn("Fault Issuing CA")]])]))
                }
            ]
            return scene
        },
        Self.place("an intermediate signed with RSASSA-PSS") {
            let root = CraftedAuthority("Fault Root", .rsa2048)
            var scene = try FaultScene.leaf { _ in }
            scene.chain[1] = try root.authority(FaultScene.issuer) { $0.setAlgorithm(.pssSHA256) }
            scene.roots = [try root.authority()]
            return scene
        },
        Self.place("an intermediate over SHA-1 with a short path") {
            try FaultScene.intermediate {
                $0.setAlgorithm(.ecdsaSHA1)
                $0.set(.basicConstraints(true, pathLength: 0))
            }
        },
    ]

    /// A chain whose intermediate has another key.
    private static func issued(by key: TestKey) throws -> FaultScene {
        let issuer = CraftedAuthority("Fault Issuing CA", key)
        var scene = try FaultScene.leaf { _ in }
        scene.chain = [try issuer.leaf(.p256(310)), try FaultScene.root.authority(issuer)]
        return scene
    }

    // MARK: Roots

    private static func root(
        _ name: String, _ change: @escaping @Sendable (inout CraftedCertificate) -> Void
    ) -> Fault {
        Self.place("a root \(name)") {
            var scene = try FaultScene.leaf { _ in }
            scene.roots = [try FaultScene.root.authority(nil, change)]
            return scene
        }
    }

    /// A chain below a root with another key.
    private static func rooted(_ name: String, _ key: @escaping @Sendable () -> TestKey) -> Fault {
        Self.place("a root \(name)") {
            let root = CraftedAuthority("Fault Root", key())
            var scene = try FaultScene.leaf { _ in }
            (scene.chain[1], scene.roots) = (try root.authority(FaultScene.issuer), [try root.authority()])
            return scene
        }
    }

    private static let ofRoots = [
        Self.root("that is not valid yet") { $0.notBefore = DER.utcTime("260701000000Z") },
        Self.root("with a malformed extension") { $0.set(TestExtension("2.5.29.15", [1])) },
        Self.root("without keyCertSign") { $0.set(.keyUsage(6)) },
        Self.root("on a curve that is not of NIST") { $0.key = Self.otherCurve },
        Self.root("with a key for RSASSA-PSS alone") { $0.key = Self.pssKey },
        // The signature of an anchor counts where another key made it.
        Self.place("an anchor over SHA-1 that another root signed") {
            var scene = try FaultScene.leaf { _ in }
            scene.chain.removeLast()
            scene.roots = [try FaultScene.root.authority(FaultScene.issuer) { $0.setAlgorithm(.ecdsaSHA1) }]
            return scene
        },
        Self.place("an anchor over MD5 that another root signed") {
            var scene = try FaultScene.leaf { _ in }
            scene.chain.removeLast()
            scene.roots = [
                try FaultScene.root.authority(FaultScene.issuer) {
                    $0.algorithm.identifier = DER.sequence(DER.oid("1.2.840.113549.1.1.4"), [5, 0])
                    $0.signature = [UInt8](repeating: 1, count: 256)
                }
            ]
            return scene
        },
        Self.rooted("of 1,024 bits") { .rsa1024 },
        Self.rooted("with an Ed25519 key") { .ed25519(7) },
    ]

    // MARK: Pins and staples

    /// Pins of a stranger's key in one part of the path.
    private static let ofPins = ["leaf", "authorities", "path", "anchor"].map { scope in
        Self.place("a pin of another key in the \(scope)") {
            let stranger = Pin(keyOf: Certificate(try CraftedAuthority("Stranger", .p256(390)).authority()))
            let file = """
                {"format": "servertrust.pins/1", "domains": [
                    {"host": "www.example.com", "scope": "\(scope)", "pins": ["sha256/\(stranger.base64)"]}]}
                """
            return try FaultScene.leaf { _ in }
                .with(["--pins", "@pins.json"], files: ["pins.json": Array(file.utf8)])
        }
    }

    private static let ofStaples = [
        Self.place("must-staple with a response that ended") {
            var response = TestOCSPResponse(signer: FaultScene.issuer.key)
            (response.serial, response.issuerName, response.issuerKey) =
                (DER.number(4_711), FaultScene.issuer.name, FaultScene.issuer.key)
            (response.thisUpdate, response.producedAt) = ("20260515000000Z", "20260515000000Z")
            response.nextUpdate = "20260522000000Z"
            return try FaultScene.leaf {
                $0.serialNumber = DER.number(4_711)
                $0.set(.tlsFeature([5]))
            }
            .with(["--must-staple", "--ocsp", "@old.ocsp"], files: ["old.ocsp": response.view().bytes])
        }
    ]
}
