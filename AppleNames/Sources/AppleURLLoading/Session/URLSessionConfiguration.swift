//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import HTTPSession
import HTTPTypes
public import ServerTrust
public import ServerTrustNIO

/// The configuration of a session: the settings of Foundation that apply here, and those that Apple's systems keep elsewhere,
/// such as the exceptions of an Info.plist.
public final class URLSessionConfiguration: NSObject {
    /// The default configuration.
    public class var `default`: URLSessionConfiguration { URLSessionConfiguration() }
    /// The default configuration, because no session stores data beyond its end.
    public class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }

    /// The time in seconds without received data after which a request fails.
    public var timeoutIntervalForRequest: TimeInterval = 60
    /// The time limit in seconds for a whole request.
    public var timeoutIntervalForResource: TimeInterval = 7 * 86_400
    /// The header fields of every request.
    public var httpAdditionalHeaders: [AnyHashable: Any]?
    /// The most connections to one host.
    public var httpMaximumConnectionsPerHost = 6
    /// `true` to store cookies until the end of the session and to send them.
    public var httpShouldSetCookies = true

    /// The trusted roots and the rules, by default Apple's. Issuers that a server does not send are fetched.
    public var trust = TrustConfiguration.apple.fetchingIssuers()
    /// The rules of App Transport Security, by default those for an app without exceptions. The exceptions of an Info.plist on
    /// Apple's systems are set here. A delegate can refuse servers, but cannot accept a server that these rules refuse.
    public var transportSecurity = TransportSecurity.strict
    /// The addresses that replace those of DNS.
    public var routes = ConnectionRoutes()
    /// The identity for every server that requests one, or `nil` if there is none. Delegates are asked for servers that require
    /// one.
    public var identity: SecIdentity?
    /// The most bytes of a response that are collected. A larger response is an error. Use a delegate or a download for it.
    public var maximumDataSize = 64 << 20

    /// Returns a copy of the configuration, which does not change with the original.
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
