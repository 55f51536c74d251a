//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TLSProbe
import TLSWire

/// What a server, or a box before it, makes of the hello of a release of Apple's systems, whatever it agrees on in others.
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

    /// What is wrong with the hello for the server; `nil` where nothing is.
    enum Fault {
        /// It fails at hellos that offer TLS 1.3: what they get.
        case newVersion(ConnectionFailure)
        /// It gives no answer to hellos of two segments: what they get.
        case size(ConnectionFailure)
        /// It agrees on keys in a group alone that the release does not have.
        case group(NamedGroup)
    }

    /// The fault, by the rules of the engine, as the documentation knows no hellos.
    var fault: Fault? {
        guard self.strictness == .engine else { return nil }
        if self.system.maximumTLSVersion >= .tls13, let failure = self.newVersionFailure { return .newVersion(failure) }
        let isHybrid = self.hello.groups.contains(.x25519MLKEM768)
        if isHybrid, let failure = self.facts.largeHelloFailure { return .size(failure) }
        guard !isHybrid, let group = self.onlyHybridGroup else { return nil }
        return .group(group)
    }

    /// What a load comes to; `nil` where there is no fault, and where silence leaves it open.
    var failure: ATSConnectionFailure? {
        switch self.fault {
        case .newVersion(.timedOut), .size(.timedOut), nil: nil
        case .newVersion(let failure), .size(let failure): ATSConnectionFailure(failure)
        case .group: .alert(.handshakeFailure)
        }
    }

    /// Whether it is not known if the server refuses the hello: it says nothing, and so does a slow one.
    var isUnclear: Bool {
        switch self.fault {
        case .newVersion(.timedOut), .size(.timedOut): true
        default: false
        }
    }

    /// What the hello of Apple's systems gets from a server that answers where TLS 1.3 is not offered; `nil` where it gets
    /// anything that is about something else in it.
    private var newVersionFailure: ConnectionFailure? {
        guard self.facts.anomalies.contains(.intolerantOfNewVersions), case .failed(let failure) = self.facts.handshake
        else { return nil }
        return switch failure {
        case .closed, .reset, .timedOut, .alert(.protocolVersion): failure
        // internal_error, decode_error and the like; other alerts refuse what is offered.
        case .alert(let alert) where [10, 22, 50, 51, 80].contains(alert.rawValue): failure
        default: nil
        }
    }

    /// The hybrid group without which the server does not agree on TLS 1.3, where all others were refused.
    private var onlyHybridGroup: NamedGroup? {
        let known = self.facts.groups.filter { $0.version >= .tls13 && $0.isComplete }.flatMap(\.groups)
        let chosen = self.facts.selections.filter { $0.version >= .tls13 }.compactMap(\.group)
        guard !known.isEmpty, (known + chosen).allSatisfy(\.isPostQuantum) else { return nil }
        return known.first
    }
}
