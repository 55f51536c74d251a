//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppleSecurity
import Foundation
public import FoundationNetworking

/// The content of a credential besides a password.
private enum Content: Sendable {
    case trust(SecTrust)
    case identity(SecIdentity, [SecCertificate])
}

private let contents = SideTable<Content>()

extension URLCredential {
    /// The server, accepted.
    ///
    /// - Parameter trust: The trust of the challenge. With other certificates than the server sent it does not answer it.
    public convenience init(trust: SecTrust) {
        self.init(user: "", password: "", persistence: .none)
        contents.set(.trust(trust), of: self)
    }

    /// An identity of the client.
    ///
    /// - Parameters:
    ///   - identity: The identity, whose chain is part of it.
    ///   - certificates: Issuers on the way; they are kept and not sent.
    ///   - persistence: How long it is kept: as long as the session, in each case.
    public convenience init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {
        self.init(user: "", password: "", persistence: persistence)
        contents.set(.identity(identity, certArray?.compactMap { $0 as? SecCertificate } ?? []), of: self)
    }

    /// The identity; `nil` for others.
    public var identity: SecIdentity? {
        guard case .identity(let identity, _)? = contents.value(of: self) else { return nil }
        return identity
    }

    /// The issuers of the identity; empty for others.
    public var certificates: [Any] {
        guard case .identity(_, let certificates)? = contents.value(of: self) else { return [] }
        return certificates
    }

    /// The server that is accepted; `nil` for others.
    package var trust: SecTrust? {
        guard case .trust(let trust)? = contents.value(of: self) else { return nil }
        return trust
    }

    /// True if the credential is a user with a password.
    package var isPassword: Bool { contents.value(of: self) == nil && self.user != nil && self.password != nil }
}
