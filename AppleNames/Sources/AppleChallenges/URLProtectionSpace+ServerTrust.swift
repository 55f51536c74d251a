//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppleSecurity
package import Foundation
public import FoundationNetworking

/// A protection space with the values that Foundation's class cannot store.
package final class ChallengedSpace: URLProtectionSpace, @unchecked Sendable {
    let trust: SecTrust?
    let names: [Data]?

    package init(
        host: String, port: Int, protocol: String?, realm: String?, method: String, trust: SecTrust? = nil,
        names: [Data]? = nil
    ) {
        self.trust = trust
        self.names = names
        super.init(host: host, port: port, protocol: `protocol`, realm: realm, authenticationMethod: method)
    }
}

extension URLProtectionSpace {
    /// The trust object of the server, or `nil` for a challenge about anything else.
    public var serverTrust: SecTrust? { (self as? ChallengedSpace)?.trust }
}
