//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppleSecurity
import Foundation
public import FoundationNetworking

/// The content of a credential other than a password.
private enum Content: Sendable {
    case trust(SecTrust)
    case identity(SecIdentity, [SecCertificate])
}

private let contents = SideTable<Content>()

extension URLCredential {
    /// Creates a credential that accepts a server.
    ///
    /// - Parameter trust: The trust object of the challenge. It does not answer the challenge if its certificates differ from
    ///   those of the server.
    public convenience init(trust: SecTrust) {
        self.init(user: "", password: "", persistence: .none)
        contents.set(.trust(trust), of: self)
    }

    /// Creates a credential with an identity of the client.
    ///
    /// - Parameters:
    ///   - identity: The identity, including its chain.
    ///   - certificates: Intermediate certificates, which are stored but not sent.
    ///   - persistence: Ignored. The credential always remains for the duration of the session.
    public convenience init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {
        self.init(user: "", password: "", persistence: persistence)
        contents.set(.identity(identity, certArray?.compactMap { $0 as? SecCertificate } ?? []), of: self)
    }

    /// The identity, or `nil` for other credentials.
    public var identity: SecIdentity? {
        guard case .identity(let identity, _)? = contents.value(of: self) else { return nil }
        return identity
    }

    /// The issuers of the identity, or an empty array for other credentials.
    public var certificates: [Any] {
        guard case .identity(_, let certificates)? = contents.value(of: self) else { return [] }
        return certificates
    }

    /// The trust object of the accepted server, or `nil` for other credentials.
    package var trust: SecTrust? {
        guard case .trust(let trust)? = contents.value(of: self) else { return nil }
        return trust
    }

    /// `true` if the credential has a user and a password.
    package var isPassword: Bool { contents.value(of: self) == nil && self.user != nil && self.password != nil }
}
