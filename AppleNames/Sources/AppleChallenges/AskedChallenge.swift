//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppleSecurity
package import Foundation
package import FoundationNetworking
package import ServerTrust

/// The disposition of a challenge. It has the raw values of `URLSession.AuthChallengeDisposition`, a type that exists twice.
package enum AskedDisposition: Int, Sendable {
    case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
}

/// The answer of a delegate.
package struct AskedAnswer: Sendable {
    package let disposition: AskedDisposition
    package let credential: URLCredential?

    package init(_ disposition: AskedDisposition, _ credential: URLCredential?) {
        self.disposition = disposition
        self.credential = credential
    }

    /// The refusal for a completion that is never called.
    package static let refusal = AskedAnswer(.cancelAuthenticationChallenge, nil)
    /// The answer without a delegate.
    package static let byDefault = AskedAnswer(.performDefaultHandling, nil)
}

extension ServerTrustChallenge {
    /// Returns the challenge for a delegate.
    ///
    /// - Parameter trust: The trust object of the server.
    package func asked(about trust: SecTrust) -> URLAuthenticationChallenge {
        let space = ChallengedSpace(
            host: self.host, port: self.port ?? 443, protocol: "https", realm: nil,
            method: NSURLAuthenticationMethodServerTrust, trust: trust)
        return URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: URLCredential(trust: trust), previousFailureCount: 0,
            failureResponse: nil, error: self.refusal, sender: NoSender())
    }

    /// Converts the answer of a delegate. The server is refused unless the answer is default handling or contains the server's
    /// own certificates.
    package func disposition(_ answer: AskedAnswer) -> ServerTrustDisposition {
        switch answer.disposition {
        case .performDefaultHandling: return .performDefaultHandling
        case .useCredential:
            // Fetched issuers may follow the server's own certificates.
            guard let accepted = answer.credential?.trust?.trust,
                accepted.certificates.starts(with: self.trust.certificates)
            else { return .cancelAuthenticationChallenge(nil) }
            return .useCredential(ServerTrustCredential(trust: self.trust))
        case .cancelAuthenticationChallenge, .rejectProtectionSpace: return .cancelAuthenticationChallenge(nil)
        }
    }
}

extension AuthenticationChallenge {
    /// Returns the challenge for a delegate.
    ///
    /// - Parameter url: The URL of the request.
    package func asked(at url: URL?) -> URLAuthenticationChallenge {
        let space = self.protectionSpace
        let response = self.failureResponse.flatMap { failure in
            url.flatMap { url in
                let fields = failure.headers.map { ($0.name, $0.value) }
                return HTTPURLResponse(
                    url: url, statusCode: failure.statusCode, httpVersion: nil,
                    headerFields: Dictionary(fields, uniquingKeysWith: { "\($0), \($1)" }))
            }
        }
        let proposed = self.proposedCredential.flatMap { credential -> URLCredential? in
            guard let user = credential.user, let password = credential.password else { return nil }
            return URLCredential(user: user, password: password, persistence: .none)
        }
        return URLAuthenticationChallenge(
            protectionSpace: ChallengedSpace(
                host: space.host.text, port: space.port ?? 0, protocol: space.protocol?.rawValue, realm: space.realm,
                method: space.authenticationMethod.rawValue),
            proposedCredential: proposed, previousFailureCount: self.previousFailureCount, failureResponse: response,
            error: self.error, sender: NoSender())
    }

    /// Converts the answer of a delegate. Only a credential with user and password is sent.
    package func disposition(_ answer: AskedAnswer) -> AuthenticationDisposition {
        switch answer.disposition {
        case .performDefaultHandling: return .performDefaultHandling
        case .rejectProtectionSpace: return .rejectProtectionSpace
        case .cancelAuthenticationChallenge: return .cancelAuthenticationChallenge
        case .useCredential:
            guard let credential = answer.credential else { return .useCredential(nil) }
            guard credential.isPassword, let user = credential.user, let password = credential.password else {
                return .cancelAuthenticationChallenge
            }
            return .useCredential(Credential(user: user, password: password, persistence: .session))
        }
    }
}

/// A sender without effect. Foundation requires a sender, but challenges are answered by their completion.
package final class NoSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    package func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    package func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    package func cancel(_ challenge: URLAuthenticationChallenge) {}
    package func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    package func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
