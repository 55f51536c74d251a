//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleChallenges
public import Foundation
public import FoundationNetworking
public import HTTPSession
import HTTPTypes
public import ServerTrust
public import ServerTrustNIO
import Synchronization

/// Creates sessions of Foundation that ask their delegate about servers.
///
/// ```swift
/// let session = ServerTrustLoading().session(configuration: .default, delegate: delegate, delegateQueue: nil)
/// ```
///
/// Foundation for Linux does not ask delegates about servers. The sessions created here load with `HTTPSession`, which does. The
/// delegate's method for sessions is called first. If it chooses default handling for a server, the method for tasks is called,
/// because Foundation does not reveal the methods that a delegate implements. Tasks that download to files fail. Use data tasks
/// or `HTTPSession.download` instead.
public struct ServerTrustLoading: Sendable {
    /// The trusted roots and the rules, by default Apple's. Issuers that a server does not send are fetched.
    public var trust = TrustConfiguration.apple.fetchingIssuers()
    /// The rules of App Transport Security, by default those for an app without exceptions.
    public var transportSecurity = TransportSecurity.strict
    /// The addresses that replace those of DNS.
    public var routes = ConnectionRoutes()
    /// The most bytes of a response that are collected. A larger response is an error.
    public var maximumDataSize = 64 << 20

    /// Creates the default settings.
    public init() {}

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of Foundation. Its protocol classes are replaced.
    ///   - delegate: The delegate.
    ///   - delegateQueue: The queue for the delegate, or `nil` to create one.
    public func session(
        configuration: URLSessionConfiguration, delegate: any URLSessionDelegate, delegateQueue: OperationQueue?
    ) -> URLSession {
        let prepared = self.prepare(configuration, delegate: delegate)
        let session = URLSession(
            configuration: prepared.configuration, delegate: delegate, delegateQueue: delegateQueue)
        prepared.attach(session)
        return session
    }

    /// Prepares the configuration of a session that is created elsewhere, with the same delegate.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of Foundation. Its protocol classes are replaced.
    ///   - delegate: The delegate of the session.
    /// - Returns: The configuration, to which the session must be attached.
    public func prepare(
        _ configuration: URLSessionConfiguration, delegate: any URLSessionDelegate
    ) -> PreparedConfiguration {
        let prepared = (configuration.copy() as? URLSessionConfiguration) ?? .default
        let entry = LoadingEntry(self.http(prepared), delegate)
        prepared.protocolClasses = [LoadingEntry.register(entry)]
        return PreparedConfiguration(configuration: prepared, entry: entry)
    }

    private func http(_ configuration: URLSessionConfiguration) -> HTTPSessionConfiguration {
        var http = HTTPSessionConfiguration(
            trust: ServerTrustSettings(trust: self.trust, transportSecurity: self.transportSecurity))
        http.routes = self.routes
        http.limits.dataSize = max(0, self.maximumDataSize)
        http.timeouts.idle = Duration(interval: configuration.timeoutIntervalForRequest)
        http.timeouts.head = http.timeouts.idle
        http.timeouts.total = Duration(interval: configuration.timeoutIntervalForResource)
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            guard let name = HTTPField.Name("\(name)") else { continue }
            http.additionalFields[name] = "\(value)"
        }
        return http
    }
}

/// A configuration to which a session must be attached.
///
/// Create a session with ``configuration``, and pass it to ``attach(_:)`` before its first task starts.
public struct PreparedConfiguration {
    /// The configuration of Foundation.
    public let configuration: URLSessionConfiguration
    let entry: LoadingEntry

    /// Attaches the session that uses the configuration. Call it once. Tasks fail before the call, and tasks of any other session
    /// always fail.
    public func attach(_ session: URLSession) { self.entry.attach(session) }
}

/// The properties of a session that the protocol needs.
final class LoadingEntry: Sendable {
    private struct State: @unchecked Sendable {
        weak var delegate: (any URLSessionDelegate)?
        weak var session: URLSession?
        var wasAttached = false
    }

    let http: HTTPSessionConfiguration
    private let state: Mutex<State>

    init(_ http: HTTPSessionConfiguration, _ delegate: any URLSessionDelegate) {
        self.http = http
        self.state = Mutex(State(delegate: delegate))
    }

    var delegate: (any URLSessionDelegate)? { self.state.withLock { $0.delegate } }
    var session: URLSession? { self.state.withLock { $0.session } }

    func attach(_ session: URLSession) {
        self.state.withLock { state in
            guard !state.wasAttached else { return }
            (state.session, state.wasAttached) = (session, true)
        }
    }

    private var isForgotten: Bool { self.state.withLock { $0.wasAttached && $0.session == nil } }
}

// MARK: - Classes

/// The registry of entries. Foundation identifies a protocol only by its class, so each session has a class of its own that leads
/// to its entry.
extension LoadingEntry {
    private static let entries = Mutex<[LoadingEntry]>([])

    /// Returns the class of an entry. The class of a deallocated session is reused.
    static func register(_ entry: LoadingEntry) -> AnyClass {
        self.entries.withLock { entries in
            let place = entries.firstIndex(where: \.isForgotten) ?? entries.count
            if place == entries.count { entries.append(entry) } else { entries[place] = entry }
            return Self.number(place).protocolClass
        }
    }

    static func entry(at place: Int) -> LoadingEntry? {
        self.entries.withLock { $0.indices.contains(place) ? $0[place] : nil }
    }

    /// Returns a number as a type, built from its binary digits with the lowest digit outermost.
    private static func number(_ number: Int) -> any TypeNumber.Type {
        guard number > 0 else { return End.self }
        let rest = Self.number(number >> 1)
        return number & 1 == 0 ? rest.zero : rest.one
    }
}

/// A number that is represented by a type.
protocol TypeNumber {
    static var value: Int { get }
    static var zero: any TypeNumber.Type { get }
    static var one: any TypeNumber.Type { get }
    static var protocolClass: AnyClass { get }
}

extension TypeNumber {
    static var zero: any TypeNumber.Type { Zero<Self>.self }
    static var one: any TypeNumber.Type { One<Self>.self }
    static var protocolClass: AnyClass { NumberedURLProtocol<Self>.self }
}

private enum End: TypeNumber { static var value: Int { 0 } }
private enum Zero<Rest: TypeNumber>: TypeNumber { static var value: Int { Rest.value << 1 } }
private enum One<Rest: TypeNumber>: TypeNumber { static var value: Int { Rest.value << 1 | 1 } }

/// The protocol of one session.
final class NumberedURLProtocol<Number: TypeNumber>: ServerTrustURLProtocol {
    override var entry: LoadingEntry? { LoadingEntry.entry(at: Number.value) }
}
