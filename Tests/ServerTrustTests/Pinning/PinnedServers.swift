//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport

@testable import ServerTrust

/// A server as a client meets it, what is pinned of it, and what is true about both.
struct PinnedServer: Sendable, CustomStringConvertible {
    let description: String
    let sent: [Certificate]
    let pinned: [Certificate]
    /// What the client trusts.
    let roots: [Certificate]
    /// Whether the path is valid below the client's roots, the name left aside.
    var isValid = true
    /// Whether the leaf is for www.example.com.
    var nameMatches = true
    /// Whether the path is valid below what is pinned, the name left aside.
    var isValidBelowPins = true
    /// Whether a pinned key is on the path below the client's roots.
    var keyIsOnPath = true
    /// Whether a pinned key is in anything that was sent.
    var keyWasSent = true
    /// Whether a pinned key is on the path that is built, whatever else is wrong with it.
    var keyIsOnBuiltPath = true
    /// Whether a pinned key vouches for the leaf: is its key, or signed down to it.
    var isVouchedFor = true

    var trust: Trust {
        get throws {
            var trust = try Trust(certificates: self.sent, policies: [], configuration: .only(self.roots))
            trust.verifyDate = Date(testTime)
            return trust
        }
    }

    private init(
        _ description: String, _ sent: [CertificateView], _ pinned: [CertificateView], _ roots: [CertificateView]
    ) {
        self.description = description
        self.sent = sent.map(Certificate.init)
        self.pinned = pinned.map(Certificate.init)
        self.roots = roots.map(Certificate.init)
    }
}

extension PinnedServer {
    static let other = CraftedAuthority("Other", .p256(11))

    /// Every server there is to meet.
    static let all: [PinnedServer] = {
        do {
            return try Self.genuine() + Self.faulty() + Self.selfSigned() + Self.attacks()
        } catch {
            fatalError("\(error)")
        }
    }()

    private static func genuine() throws -> [PinnedServer] {
        let chain = try TestChain()
        let sent = [chain.leaf, chain.second, chain.first]
        let renewed = try TestChain.second.leaf { $0.serialNumber = DER.integer(77) }
        let stranger = try Self.other.authority()
        func server(_ name: String, _ pinned: [CertificateView]) -> PinnedServer {
            PinnedServer("a genuine server, \(name) pinned", sent, pinned, [chain.root])
        }
        var byRoot = server("its root", [chain.root])
        byRoot.keyWasSent = false
        var byKey = server("a certificate of the same key", [renewed])
        byKey.isValidBelowPins = false
        return [
            server("its leaf", [chain.leaf]), server("its issuer", [chain.second]),
            server("leaf and stranger", [chain.leaf, stranger]), byRoot, byKey,
            server("a stranger", [stranger]).unpinned, server("nothing", []).unpinned,
        ]
    }

    private static func faulty() throws -> [PinnedServer] {
        func server(_ name: String, _ change: CraftedAuthority.Change) throws -> PinnedServer {
            let chain = try TestChain(leaf: change)
            return PinnedServer("\(name), pinned", [chain.leaf, chain.second, chain.first], [chain.leaf], [chain.root])
        }
        var wrongName = try server("a server of another name") { $0.set(.alternativeNames([.dns("other.example")])) }
        wrongName.nameMatches = false
        var expired = try server("an expired server") { $0.notAfter = DER.utcTime("260502000000Z") }
        (expired.isValid, expired.isValidBelowPins) = (false, false)
        var both = try server("an expired server of another name") {
            $0.notAfter = DER.utcTime("260502000000Z")
            $0.set(.alternativeNames([.dns("other.example")]))
        }
        (both.isValid, both.isValidBelowPins, both.nameMatches) = (false, false, false)
        return [wrongName, expired, both]
    }

    private static func selfSigned() throws -> [PinnedServer] {
        let trusted = try TestChain().root
        func leaf(_ name: String) throws -> CertificateView {
            try Self.other.leaf {
                $0.issuer = $0.subject
                $0.signer = .p256(100)
                $0.remove("2.5.29.35")
                $0.set(.alternativeNames([.dns(name)]))
            }
        }
        let (own, foreign) = (try leaf("www.example.com"), try leaf("other.example"))
        var pinned = PinnedServer("a self-signed server, pinned", [own], [own], [trusted])
        pinned.isValid = false
        var wrongName = PinnedServer("a self-signed server of another name, pinned", [foreign], [foreign], [trusted])
        (wrongName.isValid, wrongName.nameMatches) = (false, false)
        var stranger = PinnedServer("a self-signed server, another pinned", [own], [trusted], [trusted]).unpinned
        stranger.isValid = false
        var nothing = PinnedServer("a self-signed server, nothing pinned", [own], [], [trusted]).unpinned
        nothing.isValid = false
        let chain = try TestChain()
        var own2 = PinnedServer(
            "a server of a private authority, its root pinned", [chain.leaf, chain.second, chain.first], [chain.root],
            [try Self.other.authority()])
        (own2.isValid, own2.keyWasSent, own2.keyIsOnBuiltPath) = (false, false, false)
        return [pinned, wrongName, stranger, nothing, own2]
    }

    /// A man in the middle with what he can get: genuine certificates, and roots that are trusted.
    private static func attacks() throws -> [PinnedServer] {
        let chain = try TestChain()
        let root = try Self.other.authority()
        let forged = try Self.other.leaf(.p256(101))
        func attack(_ name: String, _ sent: [CertificateView], _ pinned: CertificateView, isTrusted: Bool)
            -> PinnedServer
        {
            let roots = isTrusted ? [chain.root, root] : [chain.root]
            var server = PinnedServer(name, sent, [pinned], roots).unpinned
            (server.isValid, server.keyWasSent, server.keyIsOnBuiltPath) = (isTrusted, true, false)
            return server
        }
        // Issued in the pinned intermediate's name, with another key.
        let expired = try TestChain.second.leaf(.p256(101)) {
            $0.signer = .p256(66)
            $0.notAfter = DER.utcTime("260502000000Z")
        }
        let misissued = try TestChain.first.authority(TestChain.second) { $0.signer = .p256(66) }
        let misattributed = try TestChain.second.leaf(.p256(101)) { $0.signer = .p256(66) }
        return [
            attack(
                "a forged chain, the genuine leaf behind it", [forged, root, chain.leaf], chain.leaf, isTrusted: false),
            attack(
                "a trusted forger, the genuine leaf behind", [forged, root, chain.leaf], chain.leaf, isTrusted: true),
            attack(
                "a trusted forger, the genuine leaf between", [forged, chain.leaf, root], chain.leaf, isTrusted: true),
            attack(
                "a trusted forger, the pinned intermediate behind", [forged, root, chain.second, chain.first],
                chain.second,
                isTrusted: true),
            attack(
                "a signature that the pinned intermediate did not make", [misattributed, chain.second, chain.first],
                chain.second, isTrusted: false),
            attack(
                "an expired certificate that the pinned intermediate did not sign",
                [expired, chain.second, chain.first], chain.second, isTrusted: false),
            attack(
                "a pinned root that did not sign what is below it", [chain.leaf, misissued, chain.first], chain.root,
                isTrusted: false),
        ]
    }

    /// The same server with nothing that matches a pin.
    private var unpinned: PinnedServer {
        var server = self
        (server.isValidBelowPins, server.keyIsOnPath, server.keyWasSent) = (false, false, false)
        (server.keyIsOnBuiltPath, server.isVouchedFor) = (false, false)
        return server
    }
}
