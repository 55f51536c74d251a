//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust

extension NameResolver {
    /// Resolves a host for a request with a deadline.
    ///
    /// - Parameters:
    ///   - host: A DNS name, or an IP address without brackets.
    ///   - deadline: The deadline of the request, which is extended by the time that the query waited for a thread.
    ///   - patience: The time to wait for a thread.
    /// - Throws: `ResourceError` if there is no address.
    func addresses(
        of host: String, until deadline: inout NIODeadline, patience: Duration
    ) async throws(ResourceError) -> [SocketAddress] {
        let rest = Duration(deadline - .now())
        let answer = await self.addresses(of: host, timeout: rest, patience: patience)
        deadline = deadline + TimeAmount(answer.waited)
        switch answer.outcome {
        case .found(let addresses): return addresses
        case .notFound: throw ResourceError(.unreachable, "the name \(host) could not be resolved")
        case .unanswered: throw ResourceError(.unreachable, "no name server gave an answer about \(host)")
        case .timedOut: throw ResourceError(.timedOut, "it took too long")
        case .busy: throw ResourceError(.timedOut, "other names kept it from being resolved")
        case .starved: throw ResourceError(.unreachable, "this machine has no room to resolve the name \(host)")
        case .cancelled: throw ResourceError(.cancelled, "it was cancelled")
        }
    }
}
