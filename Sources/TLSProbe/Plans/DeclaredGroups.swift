//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The groups of TLS 1.3 that a server lists in a handshake that proves its key.
///
/// A server that prefers another group than the client's key share lists all its groups (RFC 8446 §4.2.7), as OpenSSL does.
/// Offering each group takes a connection each. The list takes three, with samples and a refusal of all other groups to confirm it.
struct DeclaredGroups {
    /// The groups in the order in which a server chooses them: by the client's order, and by its own.
    private let byClient: [NamedGroup]
    private let byServer: [NamedGroup]
    private let favorite: NamedGroup

    /// The smallest number of groups worth sampling. With fewer, offering each takes no more connections.
    private static let worthwhile = 6

    /// - Parameters:
    ///   - declared: The server's list.
    ///   - offered: All groups in the order of an offer.
    ///   - favorite: The server's choice from all groups.
    init?(_ declared: [NamedGroup], of offered: [NamedGroup], favorite: NamedGroup) {
        self.byClient = offered.filter(declared.contains)
        var seen: Set<NamedGroup> = []
        self.byServer = declared.filter { offered.contains($0) && seen.insert($0).inserted }
        self.favorite = favorite
        guard self.byServer.count >= Self.worthwhile, declared.contains(favorite) else { return nil }
    }

    /// The second half of the list, reversed. A server that follows the client's order chooses its first group, and one with its
    /// own order its last.
    var sample: [NamedGroup] { self.byServer.suffix(self.byServer.count / 2).reversed() }

    /// Returns the groups in the order that a choice from the sample reveals, or `nil` if the list explains it by neither order.
    func groups(shownBy choice: NamedGroup) -> [NamedGroup]? {
        if choice == self.sample.first, self.favorite == self.byClient.first { return self.byClient }
        if choice == self.sample.last, self.favorite == self.byServer.first { return self.byServer }
        return nil
    }

    /// Returns the last group of the server's own list if no sample has reached it.
    func unsampled(after choice: NamedGroup) -> NamedGroup? { self.byServer.last == choice ? nil : self.byServer.last }

    func others(of offered: [NamedGroup]) -> [NamedGroup] { offered.filter { !self.byServer.contains($0) } }
}

extension ProbeSession {
    /// Reads the server's list of groups in a handshake with a key of a group other than its favorite.
    ///
    /// - Parameters:
    ///   - favorite: The server's choice from all groups.
    ///   - client: The client's offer. Its signature schemes are used, so that the server shows the same chain as to that client.
    func declaredGroups(besides favorite: NamedGroup, _ client: ClientOffer) async -> DeclaredGroups? {
        var offer = HandshakeOffer()
        offer.minimumVersion = .tls13
        offer.groups = [favorite == .secp256r1 ? .x25519 : .secp256r1]
        offer.signatureSchemes = client.signatureSchemes
        let result = await self.handshake(offer)
        guard result.version == .tls13, result.isKeyProven, result.failure == nil else { return nil }
        return DeclaredGroups(result.supportedGroups, of: self.everything.groupsInTLS13, favorite: favorite)
    }
}
