//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The properties that the name of a cipher suite implies. They are computed once, because a search in a name is slow and a prober
/// needs them for every suite.
struct CipherSuiteTraits: Sendable {
    let keyExchange: CipherSuite.KeyExchange?
    let authentication: CipherSuite.Authentication?
    let protection: CipherSuite.Protection?
    let isNull: Bool
    let isAuthenticatedEncryption: Bool
    let isExport: Bool
    let isTLS13: Bool
    let versions: ClosedRange<TLSProtocolVersion>

    init(_ parts: CipherSuiteParts) {
        self.keyExchange = parts.keyExchange
        self.authentication = parts.authentication
        self.protection = parts.protection
        self.isNull = parts.isNull
        self.isAuthenticatedEncryption = parts.isAuthenticatedEncryption
        self.isExport = parts.export != nil
        self.isTLS13 = parts.isTLS13
        self.versions = parts.versions
    }
}
