//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity

extension ConformanceResponder {
    /// The release of the engine that the protocol asks about, which precedes the NIAP keys.
    private static let system = ATSSystem(.iOS, 26)

    /// Answers `ats` and `ats-pins`.
    static func transportSecurityAnswer(to request: ConformanceRequest) -> any Encodable {
        guard let client = ATSClient(rawValue: request.client ?? "app"), client != .deviceManagement else {
            return ConformanceAnswer(id: request.id, .unsupported, detail: "unknown client")
        }
        guard let strictness = ATSStrictness(rawValue: request.strict ?? "engine") else {
            return ConformanceAnswer(id: request.id, .unsupported, detail: "unknown strictness")
        }
        guard let destination = Self.destination(of: request) else {
            return ConformanceAnswer(id: request.id, .unsupported, detail: "no host and no address")
        }
        let dictionary = request.plist ?? Self.absentDictionary(client, strictness)
        let configuration = ATSPolicy.Configuration(system: Self.system, strictness: strictness)
        let requirements = ATSPolicy(dictionary, configuration: configuration)
            .requirements(for: destination, client: client)
        return request.op == "ats-pins"
            ? ATSPinsAnswer(request.id, requirements.pins) : ATSAnswer(request.id, requirements)
    }

    /// Returns the destination. The request states whether it is an address or a name, as callers of the engine do, so that
    /// nothing is guessed from the text.
    private static func destination(of request: ConformanceRequest) -> ATSDestination? {
        request.address.map { ATSDestination(addressText: $0, isLocal: request.local) }
            ?? request.host.map { ATSDestination(name: $0, isLocal: request.local) }
    }

    /// Returns the rules without a dictionary. They are the defaults, except that the engine starts WebKit processes with
    /// arbitrary loads allowed. Any dictionary, even an empty one, overrides that.
    ///
    /// This concerns the engine only. In an app, WebKit processes receive the dictionary of the app, and apps without one follow
    /// the defaults in web views too.
    private static func absentDictionary(_ client: ATSClient, _ strictness: ATSStrictness) -> ATSDictionary {
        var dictionary = ATSDictionary()
        if client == .webContent, strictness == .engine { dictionary.allowsArbitraryLoads = true }
        return dictionary
    }
}

/// The answer to `ats`.
struct ATSAnswer: Encodable {
    private let id: String
    private let requirements: ATSRequirements

    init(_ id: String, _ requirements: ATSRequirements) {
        self.id = id
        self.requirements = requirements
    }

    private enum CodingKeys: String, CodingKey {
        case id, tls_required, minimum_tls, forward_secrecy, suites, ats_checks, matched_exception
    }

    /// Encodes all fields, including `nil` as the protocol's null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.id, forKey: .id)
        try container.encode(self.requirements.requiresTLS, forKey: .tls_required)
        try container.encode(self.requirements.minimumTLSVersion?.rawValue, forKey: .minimum_tls)
        try container.encode(self.requirements.requiresForwardSecrecy, forKey: .forward_secrecy)
        try container.encode(self.requirements.cipherSuiteGroup?.rawValue, forKey: .suites)
        try container.encode(self.requirements.isEnforced, forKey: .ats_checks)
        try container.encode(self.requirements.exception?.name, forKey: .matched_exception)
    }
}

/// The answer to `ats-pins`.
struct ATSPinsAnswer: Encodable {
    private let id: String
    private let pins: ATSPins?

    init(_ id: String, _ pins: ATSPins?) {
        self.id = id
        self.pins = pins
    }

    private enum CodingKeys: String, CodingKey {
        case id, leaf_pins, ca_pins, pinned
    }

    /// Encodes all fields, including `nil` as the protocol's null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.id, forKey: .id)
        try container.encode(self.pins?.leaf?.count, forKey: .leaf_pins)
        try container.encode(self.pins?.authorities?.count, forKey: .ca_pins)
        try container.encode(self.pins != nil, forKey: .pinned)
    }
}
