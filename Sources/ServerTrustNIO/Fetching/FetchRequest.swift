//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import NIOPosix
import ServerTrust
import TLSWire

/// One request for a resource that a certificate names, on a connection of its own.
struct FetchRequest: Sendable {
    let url: HTTPURL
    /// The body of a request to an OCSP responder, or `nil` for GET.
    let question: [UInt8]?
    let limits: HTTPFetcher.Configuration
    /// The maximum number of octets in a response body.
    let maximumSize: Int
    /// The deadline for the whole request.
    let deadline: NIODeadline

    private static let maximumAttempts = 4

    /// Sends the request to one of the allowed addresses. It never connects to a name.
    ///
    /// - Parameter found: The addresses of the host.
    func answer(from found: [SocketAddress]) async throws(ResourceError) -> FetchedAnswer {
        let dialer = try self.dialer(among: found)
        do {
            return try await dialer.run(
                to: TLSEndpoint(host: self.url.host, port: self.url.port), keepsConnection: false, self.send)
        } catch let error as ResourceError {
            throw error
        } catch let failure as ConnectionFailure {
            throw self.error(failure)
        } catch is CancellationError {
            throw ResourceError(.cancelled, "it was cancelled")
        } catch {
            throw ResourceError(.badAnswer, "the connection failed (\(error))")
        }
    }

    // MARK: The connection

    private func dialer(among found: [SocketAddress]) throws(ResourceError) -> Dialer {
        // A zone is dropped. An address with a zone is link-local with or without it.
        let found = found.compactMap { $0.ipAddress.flatMap { IPAddress($0) } }
        let rule = self.limits.addresses
        let allowed = found.filter(rule.allows).prefix(Self.maximumAttempts)
        guard !allowed.isEmpty else {
            let (host, address) = (self.url.host.text, found.first.map { "\($0)" } ?? "nothing")
            throw ResourceError(
                .forbiddenAddress,
                host == address
                    ? "\(address) is not a public address" : "\(host) is \(address), which is not a public address")
        }
        let timeout = min(TimeAmount(bounding: self.limits.connectTimeout), self.deadline - .now())
        guard timeout > .zero else { throw ResourceError(.timedOut, "it took too long") }
        var dialer = Dialer(on: MultiThreadedEventLoopGroup.singleton.any(), connectTimeout: timeout)
        dialer.deadline = self.deadline
        dialer.addresses = allowed.compactMap { address in
            try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address.octets), port: self.url.port)
        }
        dialer.isAllowed = rule.allows
        return dialer
    }

    private func error(_ failure: ConnectionFailure) -> ResourceError {
        switch failure {
        case .forbiddenAddress:
            ResourceError(.forbiddenAddress, "the connection is not to the address that was asked for")
        case _ where NIODeadline.now() >= self.deadline: ResourceError(.timedOut, "it took too long")
        default: ResourceError(.unreachable, "there is no connection to \(self.url.host), port \(self.url.port)")
        }
    }

    // MARK: The request

    /// Sends the request on a connection. The deadline of the whole request limits its time.
    @Sendable private func send(on channel: any Channel) -> EventLoopFuture<FetchedAnswer> {
        var limits = Exchange.Limits()
        limits.reader.headSize = self.limits.maximumHeaderSize
        limits.headTimeout = .hours(24)
        limits.idleTimeout = .hours(24)
        let handler = HTTP1Handler(limits: limits)
        let collector = AnswerCollector(handler, on: channel, maximumSize: self.maximumSize)
        do {
            guard let head = self.head else {
                throw ResourceError(.invalidURL, "the URL does not fit on a request line")
            }
            try channel.pipeline.syncOperations.addHandler(handler)
            let content = self.question.map { ExchangeRequest.Content.octets(ByteBuffer(bytes: $0)) }
            collector.send(ExchangeRequest(head, content: content ?? .none))
        } catch {
            collector.fail(error)
        }
        return collector.answered
    }

    private var head: RequestHead? {
        var fields = HTTPFields()
        fields[.hostName] = self.url.authority
        fields[.userAgent] = PackageVersion.userAgent
        fields[.accept] = "*/*"
        fields[.connection] = "close"
        if let question {
            fields[.contentType] = "application/ocsp-request"
            fields[.contentLength] = "\(question.count)"
        }
        return RequestHead(self.question == nil ? .get : .post, target: self.url.target, fields: fields)
    }
}
