//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO

/// The setup of a tunnel through an HTTP proxy (CONNECT, RFC 9110 §9.3.6), with TLS to the server inside it.
struct ProxyTunnel: Sendable {
    let connector: Connector
    let proxy: ProxyHop
    let authentication: SharedAuthenticator?
    /// The request and answer of a proxy that closed its connection after its challenge.
    let asked: ProxyClosed?

    /// The maximum size of a refusal's content that is read to reuse the connection, in octets.
    private static let discardedSize = 1 << 20

    func open(on connection: HTTPConnection) async throws -> HTTPConnection {
        let url = self.connector.url
        let timer = connection.channel.eventLoop.scheduleTask(deadline: self.connector.deadline) { connection.close() }
        defer { timer.cancel() }
        do {
            return try await self.ask(on: connection)
        } catch {
            connection.close()
            // If the deadline has passed, its timer closed the connection, whatever error that caused.
            throw NIODeadline.now() < self.connector.deadline ? error : HTTPSessionError.timedOut(url, "Connecting")
        }
    }

    private func ask(on connection: HTTPConnection) async throws -> HTTPConnection {
        var authenticated = self.asked?.request ?? AuthenticatedRequest(method: .connect, target: self.target)
        var field = try self.asked?.answer ?? self.authentication?.preemptive(for: &authenticated)
        var hasAsked = false
        while true {
            let exchange = ResponseContent(connection, pool: nil)
            let head: ResponseHead
            do {
                head = try await exchange.begin(ExchangeRequest(try self.head(field)))
            } catch let error as HTTPExchangeError where hasAsked && error.isUnanswered {
                // Some proxies close the connection after their challenge without announcing it.
                guard let field else { throw error }
                throw ProxyClosed(request: authenticated, answer: field)
            } catch let error as HTTPExchangeError {
                throw self.fault(error)
            }
            let response = HTTPResponse(status: .init(code: head.status), headerFields: head.fields)
            try self.authentication?.check(response, for: authenticated)
            if (200..<300).contains(head.status) {
                // The connection now belongs to the tunnel, so that the end of the exchange must not close it.
                exchange.giveBack(isReusable: true)
                return try await self.secure(connection)
            }
            guard head.status == 407, let authentication,
                case .send(let answer) = try authentication.respond(to: response, for: &authenticated)
            else { throw self.refusal(head.status) }
            // If the proxy closes the connection, the caller sends the answer on a new one.
            guard try await Self.isReusable(exchange) else {
                throw ProxyClosed(request: authenticated, answer: answer)
            }
            (field, hasAsked) = (answer, true)
        }
    }

    /// Reads the rest of a refusal. If it is truncated, only the connection is lost.
    private static func isReusable(_ exchange: ResponseContent) async throws -> Bool {
        do {
            return try await exchange.discard(upTo: Self.discardedSize)
        } catch let error as HTTPExchangeError where error.isEndOfConnection {
            return false
        }
    }

    private var target: String {
        let origin = self.connector.key.origin
        let host = self.connector.key.route?.host ?? origin.host
        return "\(host.textInURL):\(self.connector.key.route?.port ?? origin.port)"
    }

    private func head(_ field: HTTPField?) throws -> RequestHead {
        var fields: HTTPFields = [.hostName: self.target]
        if let field { fields.append(field) }
        if let agent = self.connector.userAgent { fields[.userAgent] = agent }
        fields[.proxyConnection] = "Keep-Alive"
        guard let head = RequestHead(.connect, target: self.target, fields: fields) else {
            throw HTTPSessionError(
                .url, .badURL, url: self.connector.url, reason: "The host cannot be told to the proxy.")
        }
        return head
    }

    private func secure(_ connection: HTTPConnection) async throws -> HTTPConnection {
        let channel = connection.channel
        let connector = self.connector
        let secured = connection.removeHandler().flatMap { connector.secure(channel, for: connector.key.origin) }
        return try await withTaskCancellationHandler {
            try await secured.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Returns the error for an invalid response of the proxy. Nothing was sent to the server yet.
    private func fault(_ error: HTTPExchangeError) -> any Error {
        let (text, remedy): (String, String)
        switch error {
        case .message(let fault): (text, remedy) = ("is at fault: \(fault)", "Check that its port speaks HTTP.")
        case .violation(let fault): (text, remedy) = ("is at fault: \(fault)", "Have the proxy corrected.")
        case .closed, .answeredEarly:
            (text, remedy) = ("closed the connection without an answer", "Look into its log, or go without it.")
        default: return error
        }
        return HTTPSessionError(
            .proxy, .cannotConnectToHost, url: self.connector.url, reason: "The proxy \(self.proxy) \(text).",
            remedy: remedy, cause: error)
    }

    private func refusal(_ status: Int) -> HTTPSessionError {
        let (reason, remedy) =
            status == 407
            ? ("asks for a user and password", "Give a user and a password that it knows.")
            : ("answers with status \(status)", "Ask its administrator, or go without it.")
        return HTTPSessionError(
            .proxy, status == 407 ? .userAuthenticationRequired : .cannotConnectToHost, url: self.connector.url,
            reason: "The proxy \(self.proxy) \(reason).", remedy: remedy)
    }
}

/// An error for a proxy that requested a credential and closed its connection.
struct ProxyClosed: Error {
    let request: AuthenticatedRequest
    let answer: HTTPField
}

extension HTTPField.Name {
    /// The field that old proxies read in place of Connection. The name is a valid token, so that the fallback is never used.
    static let proxyConnection = HTTPField.Name("Proxy-Connection") ?? .connection
}
