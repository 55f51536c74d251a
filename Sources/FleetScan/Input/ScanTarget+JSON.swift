//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSWire

extension ScanTarget {
    /// Creates a target from an object. `host` may be anything that a plain line may be, and `port` replaces its port.
    init(_ object: RawJSON, _ defaults: Defaults) throws(ScanEntryError) {
        let fields = object.fields
        var own = defaults
        own.connectAddress = fields.connectTo ?? defaults.connectAddress
        own.serverName = fields.sni ?? defaults.serverName
        if let name = fields.startTLS { own.startTLS = try Self.startTLS(name) }
        let target = try ScanTarget(text: fields.host, own)
        guard let port = fields.port else {
            self = target
            return
        }
        do {
            let endpoint = try TLSEndpoint(
                host: target.endpoint.host.written, port: port, connectAddress: own.connectAddress)
            self = try ScanTarget(endpoint, serverName: own.serverName, startTLS: own.startTLS)
        } catch {
            throw ScanEntryError(code: .notAServer, message: DisplayText.text("\(error)"))
        }
    }

    private static func startTLS(_ name: String) throws(ScanEntryError) -> StartTLSProtocol {
        guard let known = StartTLSProtocol(rawValue: name) else {
            let names = StartTLSProtocol.allCases.map(\.rawValue).joined(separator: ", ")
            throw ScanEntryError(code: .notAServer, message: "\"startTLS\" must be one of \(names)")
        }
        return known
    }
}
