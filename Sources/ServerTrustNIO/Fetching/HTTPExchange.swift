//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOHTTP1
import NIOPosix
import ServerTrust

/// One request to one server, and its answer.
struct HTTPExchange: Sendable {
    /// What the server wants.
    enum Answer: Sendable {
        case body([UInt8])
        case redirect(to: String)
    }

    let request: ResourceRequest
    let location: HTTPLocation
    let configuration: HTTPFetcher.Configuration
    let deadline: NIODeadline

    /// The addresses of a host that are tried, one after the other.
    private static let maximumAttempts = 4

    func run() async throws(ResourceError) -> Answer {
        guard self.configuration.allows(port: self.location.port) else {
            throw ResourceError(.forbiddenAddress, "port \(self.location.port) is not one that is fetched from")
        }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let outcome = self.start(on: eventLoop)
        do {
            return try await withTaskCancellationHandler {
                try await outcome.futureResult.get()
            } onCancel: {
                outcome.fail(ResourceError(.cancelled, "it was cancelled"))
            }
        } catch let error as ResourceError {
            throw error
        } catch {
            throw ResourceError(.badAnswer, "the connection failed (\(error))")
        }
    }

    /// Starts everything on an event loop; whoever fails the promise early ends it.
    private func start(on eventLoop: any EventLoop) -> EventLoopPromise<Answer> {
        let outcome = eventLoop.makePromise(of: Answer.self)
        let timer = eventLoop.scheduleTask(deadline: self.deadline) {
            outcome.fail(ResourceError(.timedOut, "it took too long"))
        }
        let host = self.location.host
        let connected = NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
            try AddressResolver.addresses(of: host)
        }
        .flatMap { self.connect(to: $0, on: eventLoop) }
        connected.flatMap { self.exchange(on: $0) }.cascade(to: outcome)
        outcome.futureResult.whenComplete { _ in
            timer.cancel()
            // Also a connection that comes up later is closed.
            connected.whenSuccess { $0.close(promise: nil) }
        }
        return outcome
    }

    // MARK: Connecting

    /// What is connected to is an address that was judged, never a name.
    private func connect(to found: [IPAddress], on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        let allowed = found.filter(self.configuration.allows)
        guard let first = allowed.first else {
            let address = found.first.map { "\($0)" } ?? "nothing"
            let reason = "\(self.location.host) is \(address), which is not a public address"
            return eventLoop.makeFailedFuture(
                ResourceError(
                    .forbiddenAddress, self.location.host == address ? "\(address) is not a public address" : reason))
        }
        let rest = allowed.dropFirst().prefix(Self.maximumAttempts - 1)
        return rest.reduce(self.connect(to: first, on: eventLoop)) { attempt, address in
            attempt.flatMapError { _ in self.connect(to: address, on: eventLoop) }
        }
    }

    private func connect(to address: IPAddress, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        let timeout = min(TimeAmount(bounding: self.configuration.connectTimeout), self.deadline - .now())
        guard timeout > .zero else {
            return eventLoop.makeFailedFuture(ResourceError(.timedOut, "it took too long"))
        }
        return eventLoop.makeCompletedFuture {
            try SocketAddress(packedIPAddress: ByteBuffer(bytes: address.octets), port: self.location.port)
        }
        .flatMap { ClientBootstrap(group: eventLoop).connectTimeout(timeout).connect(to: $0) }
        .flatMapThrowing { channel in
            guard let peer = Self.address(of: channel), self.configuration.allows(peer) else {
                channel.close(promise: nil)
                throw ResourceError(.forbiddenAddress, "the connection is not to the address that was asked for")
            }
            return channel
        }
        .flatMapErrorThrowing { error in
            throw error as? ResourceError
                ?? ResourceError(.unreachable, "there is no connection to \(address), port \(self.location.port)")
        }
    }

    private static func address(of channel: any Channel) -> IPAddress? {
        channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    }

    // MARK: Asking

    private func exchange(on channel: any Channel) -> EventLoopFuture<Answer> {
        let promise = channel.eventLoop.makePromise(of: Answer.self)
        do {
            let collector = HTTPAnswerCollector(
                maximumSize: self.request.maximumSize, isPost: self.request.body != nil, promise: promise)
            let meter = HTTPMeter(
                maximumHeaderSize: self.configuration.maximumHeaderSize, collector: collector)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(meter)
            try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
            try pipeline.addHandler(collector)
            self.send(on: channel)
        } catch {
            promise.fail(error)
        }
        return promise.futureResult
    }

    private func send(on channel: any Channel) {
        var head = HTTPRequestHead(
            version: .http1_1, method: self.request.body == nil ? .GET : .POST, uri: self.location.target)
        head.headers.add(name: "Host", value: self.location.authority)
        head.headers.add(name: "User-Agent", value: "swift-server-trust")
        head.headers.add(name: "Accept", value: "*/*")
        head.headers.add(name: "Connection", value: "close")
        if let body = self.request.body {
            head.headers.add(name: "Content-Type", value: "application/ocsp-request")
            head.headers.add(name: "Content-Length", value: "\(body.count)")
        }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let body = self.request.body {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }
}
