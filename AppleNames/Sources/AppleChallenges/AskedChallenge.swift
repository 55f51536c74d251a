//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppleSecurity
package import Foundation
package import FoundationNetworking
package import ServerTrust

/// The outcome of a challenge, with the numbers of `URLSession.AuthChallengeDisposition`, of which there are two.
package enum AskedDisposition: Int, Sendable {
    case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
}

/// A delegate's answer.
package struct AskedAnswer: Sendable {
    package let disposition: AskedDisposition
    package let credential: URLCredential?

    package init(_ disposition: AskedDisposition, _ credential: URLCredential?) {
        self.disposition = disposition
        self.credential = credential
    }

    /// A completion that is never called refuses.
    package static let refusal = AskedAnswer(.cancelAuthenticationChallenge, nil)
    /// As if there were no delegate.
    package static let byDefault = AskedAnswer(.performDefaultHandling, nil)
}

extension ServerTrustChallenge {
    /// The challenge for a delegate.
    ///
    /// - Parameter trust: The server in question.
    package func asked(about trust: SecTrust) -> URLAuthenticationChallenge {
        let space = ChallengedSpace(
            host: self.host, port: self.port ?? 443, protocol: "https", realm: nil,
            method: NSURLAuthenticationMethodServerTrust, trust: trust)
        return URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: URLCredential(trust: trust), previousFailureCount: 0,
            failureResponse: nil, error: self.refusal, sender: NoSender())
    }

    /// Converts a delegate's answer. Everything but default handling and the server's own certificates refuses the server.
    package func disposition(_ answer: AskedAnswer) -> ServerTrustDisposition {
        switch answer.disposition {
        case .performDefaultHandling: return .performDefaultHandling
        case .useCredential:
            // Behind the server's own stand issuers that were fetched.
            guard let accepted = answer.credential?.trust?.trust,
                accepted.certificates.starts(with: self.trust.certificates)
            else { return .cancelAuthenticationChallenge(nil) }
            return .useCredential(ServerTrustCredential(trust: self.trust))
        case .cancelAuthenticationChallenge, .rejectProtectionSpace: return .cancelAuthenticationChallenge(nil)
        }
    }
}

extension AuthenticationChallenge {
    /// The challenge for a delegate.
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

    /// Converts a delegate's answer. Only a user with a password is sent.
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

/// A sender without effect: Foundation requires one, and challenges are answered by their completion.
package final class NoSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    /// Does nothing.
    package func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    /// Does nothing.
    package func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    /// Does nothing.
    package func cancel(_ challenge: URLAuthenticationChallenge) {}
    /// Does nothing.
    package func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    /// Does nothing.
    package func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
