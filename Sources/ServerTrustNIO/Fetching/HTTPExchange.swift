//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import NIOHTTP1
import ServerTrust

/// One request on a connection of its own, and its answer.
package struct HTTPExchange: Sendable {
    /// What is sent by POST.
    package struct Content: Sendable {
        let type: String
        let bytes: [UInt8]
    }

    let location: HTTPLocation
    /// What to send; `nil` for GET.
    let content: Content?
    /// The octets of an answer before its body.
    let maximumHeaderSize: Int
    /// The octets of a body that is collected; `nil` collects none: the answer is there with its head.
    let maximumSize: Int?

    package init(location: HTTPLocation, content: Content? = nil, maximumHeaderSize: Int, maximumSize: Int?) {
        self.location = location
        self.content = content
        self.maximumHeaderSize = maximumHeaderSize
        self.maximumSize = maximumSize
    }

    /// Sends the request, and reads the answer.
    ///
    /// - Parameter channel: A connection that nothing was sent or read on, on its event loop.
    /// - Returns: The answer, or ``ResourceError``.
    package func run(on channel: any Channel) -> EventLoopFuture<HTTPAnswer> {
        let promise = channel.eventLoop.makePromise(of: HTTPAnswer.self)
        do {
            let collector = HTTPAnswerCollector(maximumSize: self.maximumSize, promise: promise)
            let meter = HTTPMeter(maximumHeaderSize: self.maximumHeaderSize, collector: collector)
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
        channel.write(HTTPClientRequestPart.head(self.head), promise: nil)
        if let content {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: content.bytes))), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    private var head: HTTPRequestHead {
        var head = HTTPRequestHead(
            version: .http1_1, method: self.content == nil ? .GET : .POST, uri: self.location.target)
        head.headers.add(name: "Host", value: self.location.authority)
        head.headers.add(name: "User-Agent", value: "swift-server-trust")
        head.headers.add(name: "Accept", value: "*/*")
        head.headers.add(name: "Connection", value: "close")
        if let content {
            head.headers.add(name: "Content-Type", value: content.type)
            head.headers.add(name: "Content-Length", value: "\(content.bytes.count)")
        }
        return head
    }
}
