//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The evidence that a server delivers in the handshake apart from its certificates: a stapled OCSP response and SCTs.
///
/// NIOSSL shows neither (swift-nio-ssl #242), so a gate looks at a server with its own ClientHello on a separate connection along
/// the same way. The evidence is not trusted for its origin: authorities sign the responses, and logs sign the SCTs.
struct ServerLook: Sendable {
    /// The server's own certificate, in DER.
    let leaf: [UInt8]
    /// A stapled OCSP response in DER (RFC 6066 §8), or `nil` if the server sent none.
    let ocspResponse: [UInt8]?
    /// A `SignedCertificateTimestampList` (RFC 6962 §3.3.1), or `nil` if the server sent none.
    let timestamps: [UInt8]?

    /// 32 KiB. Responses take a few kilobytes and SCT lists less, and a result is kept for an hour.
    private static let maximumSize = 32 << 10

    /// Takes the evidence of a handshake in which the server has finished and signed its flight. From any other handshake an
    /// attacker may have removed a part.
    init?(_ result: HandshakeResult) {
        guard result.failure == nil, result.isKeyProven, let leaf = result.certificates.first else { return nil }
        let size = leaf.count + (result.ocspResponse?.count ?? 0) + (result.timestamps?.count ?? 0)
        guard size <= Self.maximumSize else { return nil }
        self.leaf = leaf
        self.ocspResponse = result.ocspResponse
        self.timestamps = result.timestamps
    }

    func complete(_ trust: inout Trust) {
        if let ocspResponse, let response = try? OCSPResponse(der: ocspResponse) {
            trust.configuration.revocation.stapledResponses.append(response)
        }
        if let timestamps { trust.configuration.transparency?.timestampLists.append(timestamps) }
    }
}

/// A looker at a server, which opens connections in the same way as the program.
struct ServerLooker: Sendable {
    let dialer: Dialer
    let endpoint: TLSEndpoint
    let offer: HandshakeOffer
    /// The time for connecting and the handshake together.
    let timeout: Duration

    /// Looks at the server. Returns `nil` if it did not complete a handshake in time.
    func look() async -> ServerLook? {
        var dialer = self.dialer
        let end = NIODeadline.now() + TimeAmount(bounding: self.timeout)
        dialer.deadline = dialer.deadline.map { min($0, end) } ?? end
        let offer = self.offer
        let result = try? await dialer.run(to: self.endpoint, keepsConnection: false) { Self.result(on: $0, of: offer) }
        return result.flatMap { ServerLook($0) }
    }

    private static func result(on channel: any Channel, of offer: HandshakeOffer) -> EventLoopFuture<HandshakeResult> {
        let promise = channel.eventLoop.makePromise(of: HandshakeResult.self)
        var chance = SystemRandomNumberGenerator()
        let (hello, reader) = offer.opening(using: &chance, verifiedBy: CertificateKeyVerifier())
        do {
            try channel.pipeline.syncOperations.addHandler(LookHandler(reader, promise))
            channel.writeAndFlush(channel.allocator.buffer(bytes: hello.encoded()), promise: nil)
        } catch {
            promise.fail(error)
        }
        return promise.futureResult
    }
}

/// The handler that runs the handshake of a look and completes its promise once.
private final class LookHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var reader: HandshakeReader
    private let promise: EventLoopPromise<HandshakeResult>

    init(_ reader: HandshakeReader, _ promise: EventLoopPromise<HandshakeResult>) {
        self.reader = reader
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let octets = self.unwrapInboundIn(data).readableBytesView
        do throws(HandshakeError) {
            switch try self.reader.read(octets) {
            case .unfinished: return
            case .answer(let answer):
                let buffer = context.channel.allocator.buffer(bytes: answer)
                context.writeAndFlush(self.wrapOutboundOut(buffer), promise: nil)
            case .finished: self.promise.succeed(self.reader.result)
            }
        } catch {
            self.promise.fail(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { self.promise.fail(ChannelError.eof) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.promise.fail(error)
        context.close(promise: nil)
    }

    // A connection that ended before the handler was added reports no other event.
    func handlerRemoved(context: ChannelHandlerContext) { self.promise.fail(ChannelError.ioOnClosedChannel) }
}
