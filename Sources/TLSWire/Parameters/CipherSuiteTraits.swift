//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the name of a cipher suite means, read off it once: a name is slow to search, and a prober asks of every suite.
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
