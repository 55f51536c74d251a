//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust

extension NameResolver {
    /// Looks a host up for a request that has a deadline.
    ///
    /// - Parameters:
    ///   - host: A DNS name, or an IP address without brackets.
    ///   - deadline: The end of the request; it moves by the time that the look-up waited for a thread.
    ///   - patience: The time that the caller waits for a thread.
    /// - Throws: ``ResourceError`` when there is no address.
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
