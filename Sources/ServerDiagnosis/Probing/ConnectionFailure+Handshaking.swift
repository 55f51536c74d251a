//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrustNIO
import TLSProbe
import TLSWire

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ConnectionFailure {
    package init(handshaking error: any Error) {
        self =
            (error as? TLSConnectionError)?.failure
            ?? (error is CancellationError ? .cancelled : .handshake("\(error)"))
    }
}

extension HandshakeResult {
    init(_ chain: PresentedChain) {
        self.init()
        self.version = chain.protocolVersion
        self.cipherSuite = chain.cipherSuite
        self.usesExtendedMasterSecret = chain.usesExtendedMasterSecret
        self.applicationProtocol = chain.applicationProtocol
        self.certificates = chain.certificates
        switch chain.handshake {
        case .completed: self.failure = nil
        case .refused: self.failure = .cancelled
        case .failed(let error): self.failure = ConnectionFailure(handshaking: error)
        }
        // In TLS 1.3 the client sends a second ClientHello before any proof, so an answered flight proves nothing.
        let isOld = self.version.map { $0 < .tls13 } ?? false
        let isSigned = isOld && chain.isFlightAnswered && self.cipherSuite?.hasForwardSecrecy == true
        self.isKeyProven = self.failure == nil || isSigned
    }
}

extension TLSConnection.Configuration {
    init(_ offer: HandshakeOffer, timeout: Duration) {
        self.init()
        self.timeout = timeout
        self.minimumVersion = offer.minimumVersion
        self.maximumVersion = offer.maximumVersion
        self.cipherSuites = offer.cipherSuites
        self.groups = offer.groups
        self.signatureSchemes = offer.signatureSchemes
        self.applicationProtocols = offer.applicationProtocols
    }
}

extension Error {
    var isReset: Bool { (self as? IOError)?.errnoCode == ECONNRESET }
}
