//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import HTTPSession
import HTTPTypes
public import ServerTrust
public import ServerTrustNIO

/// The settings of a session: those of Foundation's that have a counterpart, and what Apple's systems have elsewhere.
public final class URLSessionConfiguration: NSObject {
    /// The defaults.
    public class var `default`: URLSessionConfiguration { URLSessionConfiguration() }
    /// The defaults: no session keeps anything when it is gone.
    public class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }

    /// The seconds without an octet after which a request fails.
    public var timeoutIntervalForRequest: TimeInterval = 60
    /// The seconds for all of a request.
    public var timeoutIntervalForResource: TimeInterval = 7 * 86_400
    /// Fields of every request.
    public var httpAdditionalHeaders: [AnyHashable: Any]?
    /// The connections to one host.
    public var httpMaximumConnectionsPerHost = 6
    /// Keeps cookies for the life of the session, and sends them.
    public var httpShouldSetCookies = true

    /// The trusted roots and the rules: Apple's by default. Issuers that a server does not send are fetched.
    public var trust = TrustConfiguration.apple.fetchingIssuers()
    /// App Transport Security, by default as for an app without exceptions. The exceptions of an Info.plist on Apple's
    /// systems is said here. Under it a delegate can refuse servers, and accept none that the rules refuse.
    public var transportSecurity = TransportSecurity.strict
    /// Addresses to connect to in place of those in DNS.
    public var routes = ConnectionRoutes()
    /// The identity for every server that asks for one; `nil` without one. Delegates are asked about servers that want one.
    public var identity: SecIdentity?
    /// The octets of a response that are collected. What is more is an error; read it by a delegate, or download it.
    public var maximumDataSize = 64 << 20

    /// The same settings, which change no more when these do.
    public override func copy() -> Any { self.copied() }

    func copied() -> URLSessionConfiguration {
        let copy = URLSessionConfiguration()
        (copy.timeoutIntervalForRequest, copy.timeoutIntervalForResource) = (
            self.timeoutIntervalForRequest, self.timeoutIntervalForResource
        )
        (copy.httpAdditionalHeaders, copy.httpShouldSetCookies) = (
            self.httpAdditionalHeaders, self.httpShouldSetCookies
        )
        copy.httpMaximumConnectionsPerHost = self.httpMaximumConnectionsPerHost
        (copy.trust, copy.transportSecurity) = (self.trust, self.transportSecurity)
        (copy.routes, copy.identity, copy.maximumDataSize) = (self.routes, self.identity, self.maximumDataSize)
        return copy
    }

    /// The settings for `HTTPSession`.
    var http: HTTPSessionConfiguration {
        var settings = ServerTrustSettings(trust: self.trust, transportSecurity: self.transportSecurity)
        settings.identity = self.identity?.identity
        var limits = HTTPConnectionPool.Limits()
        limits.perHost = max(1, self.httpMaximumConnectionsPerHost)
        var configuration = HTTPSessionConfiguration(trust: settings, pool: HTTPConnectionPool(limits: limits))
        configuration.routes = self.routes
        configuration.timeouts.idle = Duration(interval: self.timeoutIntervalForRequest)
        configuration.timeouts.head = configuration.timeouts.idle
        configuration.timeouts.total = Duration(interval: self.timeoutIntervalForResource)
        configuration.limits.dataSize = max(0, self.maximumDataSize)
        configuration.cookies = self.httpShouldSetCookies ? HTTPCookieStorage() : nil
        for (name, value) in self.httpAdditionalHeaders ?? [:] {
            guard let name = HTTPField.Name("\(name)") else { continue }
            configuration.additionalFields[name] = "\(value)"
        }
        return configuration
    }
}
