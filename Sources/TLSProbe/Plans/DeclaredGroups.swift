//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The groups of TLS 1.3 that a server says it has, in a handshake in which it has proven to hold its key.
///
/// A server that would rather have used another group than the one a client brings a key of lists all it has
/// (RFC 8446 §4.2.7), as OpenSSL does. Asking for each group takes one connection for each; the list, held against samples
/// and against a refusal of everything else, shows the same in three.
struct DeclaredGroups {
    /// The groups in the order in which a server chooses them that goes by the client's order, or by its own.
    private let byClient: [NamedGroup]
    private let byServer: [NamedGroup]
    /// What was chosen of all groups.
    private let favorite: NamedGroup

    /// With fewer groups it takes no more connections to ask for each.
    private static let worthwhile = 6

    /// - Parameters:
    ///   - declared: The server's list.
    ///   - offered: All groups, as they are offered to a server.
    ///   - favorite: What the server chose of all groups.
    init?(_ declared: [NamedGroup], of offered: [NamedGroup], favorite: NamedGroup) {
        self.byClient = offered.filter(declared.contains)
        var seen: Set<NamedGroup> = []
        self.byServer = declared.filter { offered.contains($0) && seen.insert($0).inserted }
        self.favorite = favorite
        guard self.byServer.count >= Self.worthwhile, declared.contains(favorite) else { return nil }
    }

    /// The second half of the list, backwards: the first of it is the choice by the client's order, and the last by the
    /// server's.
    var sample: [NamedGroup] { self.byServer.suffix(self.byServer.count / 2).reversed() }

    /// The groups in the order that a choice of the sample shows; `nil` where the list explains the choices by neither.
    func groups(shownBy choice: NamedGroup) -> [NamedGroup]? {
        if choice == self.sample.first, self.favorite == self.byClient.first { return self.byClient }
        if choice == self.sample.last, self.favorite == self.byServer.first { return self.byServer }
        return nil
    }

    /// What was not chosen yet and is asked for alone, as the server's own order has not come to it.
    func unsampled(after choice: NamedGroup) -> NamedGroup? { self.byServer.last == choice ? nil : self.byServer.last }

    /// What the server does not have, by its list.
    func others(of offered: [NamedGroup]) -> [NamedGroup] { offered.filter { !self.byServer.contains($0) } }
}

extension ProbeSession {
    /// What the server lists in a handshake with a key of another group than its favorite.
    ///
    /// - Parameters:
    ///   - favorite: What the server chose of all groups.
    ///   - client: Whose signature schemes are offered, so that the server shows the chain it shows to that client.
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
