//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TLSProbe
import TLSWire

/// The reaction of a server, or of a middlebox in front of it, to the ClientHello of a release of Apple's systems.
struct HelloTolerance {
    private let facts: ServerFacts
    private let hello: ATSClientHello
    private let system: ATSSystem
    private let strictness: ATSStrictness

    init(_ facts: ServerFacts, strictness: ATSStrictness, system: ATSSystem) {
        self.facts = facts
        self.strictness = strictness
        self.system = system
        self.hello = ATSClientHello(.ats, system: system, strictness: strictness)
    }

    /// The fault of a server with the ClientHello.
    enum Fault {
        /// The server fails at a ClientHello that offers TLS 1.3. The value is its answer.
        case newVersion(ConnectionFailure)
        /// The server does not answer a ClientHello of two segments. The value is the failure.
        case size(ConnectionFailure)
        /// The server fails at a part of the ClientHello, or at an unknown part. The value is its answer.
        case part(HelloPart?, ConnectionFailure)
        /// The server agrees only on a group that the release does not have.
        case group(NamedGroup)
    }

    /// The fault under the rules of the engine, or `nil` if there is none. Apple's documentation does not describe ClientHellos.
    var fault: Fault? {
        guard self.strictness == .engine else { return nil }
        if self.system.maximumTLSVersion >= .tls13, let failure = self.newVersionFailure { return .newVersion(failure) }
        let isHybrid = self.hello.groups.contains(.x25519MLKEM768)
        if isHybrid, let failure = self.facts.largeHelloFailure { return .size(failure) }
        if let (part, failure) = self.facts.helloFailure { return .part(part, failure) }
        guard !isHybrid, let group = self.onlyHybridGroup else { return nil }
        return .group(group)
    }

    /// The failure of a load, or `nil` if there is no fault or a silent server leaves it open.
    var failure: ConnectionFailure? {
        switch self.fault {
        case .newVersion(.timedOut), .size(.timedOut), .part(_, .timedOut), nil: nil
        case .newVersion(let failure), .size(let failure), .part(_, let failure): failure
        case .group: .alert(.handshakeFailure)
        }
    }

    /// `true` if the refusal is uncertain, because a slow server is silent as well.
    var isUnclear: Bool {
        switch self.fault {
        case .newVersion(.timedOut), .size(.timedOut), .part(_, .timedOut): true
        default: false
        }
    }

    /// The answer to the ClientHello of Apple's systems from a server that answers only if TLS 1.3 is not offered. `nil` if the
    /// answer concerns another part of the ClientHello.
    private var newVersionFailure: ConnectionFailure? {
        guard self.facts.anomalies.contains(.intolerantOfNewVersions), case .failed(let failure) = self.facts.handshake
        else { return nil }
        return switch failure {
        case .closed, .reset, .timedOut, .alert(.protocolVersion): failure
        // unexpected_message, record_overflow, decode_error, decrypt_error and internal_error. Other alerts refuse the offer.
        case .alert(let alert) where [10, 22, 50, 51, 80].contains(alert.rawValue): failure
        default: nil
        }
    }

    /// The hybrid group without which the server does not agree on TLS 1.3, or `nil` if it accepts other groups.
    private var onlyHybridGroup: NamedGroup? {
        let known = self.facts.groups.filter { $0.version >= .tls13 && $0.isComplete }.flatMap(\.groups)
        let chosen = self.facts.selections.filter { $0.version >= .tls13 }.compactMap(\.group)
        guard !known.isEmpty, (known + chosen).allSatisfy(\.isPostQuantum) else { return nil }
        return known.first
    }
}
