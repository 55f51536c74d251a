//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport

/// A server's chain with one fault, and how it is to be judged.
struct FaultScene: Sendable {
    static let root = CraftedAuthority("Fault Root", .p256(301))
    static let issuer = CraftedAuthority("Fault Issuing CA", .p256(302))
    static let second = CraftedAuthority("Fault Second CA", .p256(303))

    /// The chain as the server sends it, the leaf first.
    var chain: [CertificateView]
    /// What is trusted.
    var roots: [CertificateView]
    var host = "www.example.com"
    /// The moment that the chain is judged at.
    var moment = "2026-06-01T00:00:00Z"
    /// Other files by their names.
    var files: [String: [UInt8]] = [:]
    /// Other arguments; what follows `@` is a file.
    var arguments: [String] = []

    /// A chain in which the leaf is changed before it is signed.
    static func leaf(
        _ key: TestKey = .p256(310), host: String = "www.example.com", _ change: CraftedAuthority.Change
    ) throws -> FaultScene {
        try Self.chain(host: host, leaf: try self.issuer.leaf(key, change))
    }

    /// A chain in which the intermediate is changed before it is signed.
    static func intermediate(_ change: CraftedAuthority.Change) throws -> FaultScene {
        try Self.chain(leaf: try self.issuer.leaf(.p256(310)), change)
    }

    private static func chain(
        host: String = "www.example.com", leaf: CertificateView, _ change: CraftedAuthority.Change = { _ in }
    ) throws -> FaultScene {
        FaultScene(
            chain: [leaf, try self.root.authority(self.issuer, change)], roots: [try self.root.authority()], host: host)
    }

    /// Judges the chain with the command.
    func judged(_ arguments: [String] = []) async throws -> Finished {
        try await withTemporaryFolder { folder in
            let chain = try folder.file("chain.pem", Self.pem(self.chain))
            for (name, contents) in self.files { _ = try folder.file(name, contents: contents) }
            // A client's certificate is for no host.
            var options = ["evaluate", "--chain", chain] + (self.host.isEmpty ? [] : ["--host", self.host])
            if !self.roots.isEmpty {
                options += ["--anchors-only", "--roots", try folder.file("root.pem", Self.pem(self.roots))]
            }
            options += ["--at", self.moment]
            options += self.arguments.map { $0.hasPrefix("@") ? folder.path(String($0.dropFirst())) : $0 }
            return try await CommandLineTool.servertrust(options + arguments)
        }
    }

    static func pem(_ certificates: [CertificateView]) -> String {
        certificates.map { Certificate($0).pemRepresentation }.joined()
    }
}

extension FaultScene {
    /// The same with other arguments.
    func with(_ arguments: [String], files: [String: [UInt8]] = [:]) -> FaultScene {
        var scene = self
        scene.arguments += arguments
        scene.files.merge(files) { _, new in new }
        return scene
    }
}
