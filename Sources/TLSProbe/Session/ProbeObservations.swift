//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The observations from every answer, independent of the purpose of its offer.
struct ProbeObservations: Sendable {
    private(set) var features = FeatureFacts()
    private(set) var chains: [ChainFact] = []
    /// The versions and suites of the answers to hellos that presented each chain, by its index.
    private var chainSuites: [Int: [TLSProtocolVersion: Set<CipherSuite>]] = [:]
    private(set) var anomalies: [ProbeAnomaly] = []
    private(set) var primeSizes: [Int] = []
    private(set) var identity = MachineIdentity()
    private var choices: Set<Choice> = []

    /// The parameters of one answer.
    private struct Choice: Hashable {
        let suite: CipherSuite
        let group: NamedGroup?
        let scheme: SignatureScheme?
    }
    private(set) var agreedSuites: [TLSProtocolVersion: Set<CipherSuite>] = [:]
    /// `true` if the server was shown to refuse by closing a connection.
    var refusesSilently = false {
        didSet { if self.refusesSilently { self.add(.refusesSilently) } }
    }

    mutating func add(_ anomaly: ProbeAnomaly) {
        guard !self.anomalies.contains(anomaly), self.anomalies.count < 50 else { return }
        self.anomalies.append(anomaly)
    }

    /// Records the observations from a reply, even without an agreement.
    mutating func add(_ reply: ProbeReply, to offer: ProbeOffer) {
        if let name = reply.flight.hello?.applicationProtocol, !offer.applicationProtocols.contains(name) {
            self.add(.choseUnoffered("the protocol \(name)"))
        }
        for warning in reply.flight.warnings {
            self.add(warning.rawValue == 112 ? .unrecognizedName : .warningAlert(warning))
        }
        if reply.flight.alert?.rawValue == 112 { self.add(.unrecognizedName) }
        switch reply.failure {
        case .notTLS(let beginning): self.add(.notTLS(beginning: beginning))
        case .malformed(let error): self.add(.malformed(error))
        case .timedOut(.underWay): self.add(.slow(bytes: reply.receivedBytes))
        default: break
        }
    }

    /// Returns `true` if the server chose a suite, a group and a signature scheme together that are all part of a client's offer of
    /// TLS 1.2. It would then accept an offer of only these.
    func shows(_ client: ClientOffer) -> Bool {
        self.choices.contains { choice in
            client.cipherSuites.contains(choice.suite)
                && choice.group.map(client.groupsBeforeTLS13.contains) == true
                && choice.scheme.map(client.signatureSchemes.contains) == true
        }
    }

    mutating func add(_ agreement: Agreement) {
        let (hello, flight) = (agreement.hello, agreement.flight)
        if hello.version == .tls12, agreement.offer.hasExtensions {
            let scheme = flight.keyExchange?.signatureScheme
            self.choices.insert(Choice(suite: hello.cipherSuite, group: agreement.group, scheme: scheme))
        }
        self.agreedSuites[hello.version, default: []].insert(hello.cipherSuite)
        // The choice is a fault, but the agreement still counts.
        for choice in agreement.unofferedParameters { self.add(.choseUnoffered(choice)) }
        self.identity.add(agreement)
        if let certificates = flight.certificates, !certificates.isEmpty {
            let place = self.addChain(certificates, version: hello.version, response: flight.ocspResponse)
            if let place {
                self.chainSuites[place, default: [:]][hello.version, default: []].insert(hello.cipherSuite)
                self.noteSigner(place, in: hello.version, with: hello.cipherSuite)
            }
        }
        if let request = flight.certificateRequest { self.features.clientCertificate = request }
        if case .prime(let bits, _) = flight.keyExchange?.group, !self.primeSizes.contains(bits) {
            self.primeSizes.append(bits)
        }
        guard hello.version < .tls13 else { return }
        if !agreement.offer.applicationProtocols.isEmpty { self.addProtocol(hello.applicationProtocol) }
        self.addFeatures(of: agreement)
    }

    private mutating func addFeatures(of agreement: Agreement) {
        let (hello, offer) = (agreement.hello, agreement.offer)
        if offer.offersCompression { self.features.compression.note(hello.compressionMethod != 0) }
        self.features.secureRenegotiation.note(hello.has(.renegotiationInfo), unless: false)
        guard offer.hasExtensions, hello.version > .ssl30 else { return }
        if offer.offersExtendedMasterSecret, hello.version == .tls12 {
            // Every suite must have it, so a single answer without it decides.
            self.features.extendedMasterSecret.note(hello.has(.extendedMasterSecret), unless: false)
        }
        if hello.version == .tls12, hello.hasDowngradeSentinel { self.features.downgradeSentinel = true }
        guard offer.offersFeatures else { return }
        self.features.sessionTickets.note(hello.has(.sessionTicket))
        self.features.ocspStapling.note(agreement.flight.ocspResponse != nil)
        self.features.signedCertificateTimestamps.note(hello.has(.certificateTimestamps))
        self.features.heartbeat.note(hello.has(.heartbeat))
        // RFC 7366 §3: it applies only to suites with a separate MAC.
        if agreement.cipherSuite.protection == .aesCBC { self.features.encryptThenMAC.note(hello.has(.encryptThenMAC)) }
    }

    private mutating func addProtocol(_ name: String?) {
        var names = self.features.applicationProtocols ?? []
        if let name, !names.contains(name) { names.append(name) }
        self.features.applicationProtocols = names
    }

    mutating func add(_ result: HandshakeResult, offering protocols: [String]) {
        if !protocols.isEmpty, result.failure == nil { self.addProtocol(result.applicationProtocol) }
        guard !result.certificates.isEmpty, let version = result.version else { return }
        let place = self.addChain(result.certificates, version: version, response: result.ocspResponse)
        if let request = result.certificateRequest { self.features.clientCertificate = request }
        self.identity.add(result)
        if let place, let suite = result.cipherSuite { self.noteSigner(place, in: version, with: suite) }
        guard let place, result.isKeyProven else { return }
        self.chains[place].isProven = true
        self.chains[place].timestamps = self.chains[place].timestamps ?? result.timestamps
        self.addFeatures(of: result)
    }

    /// Records that the server holds the key of its chain, if TLS 1.2 proves it in the clear.
    ///
    /// The proof is a signature over the hello's own random value and an ephemeral key, with an offered group and scheme (RFC 5246
    /// §7.4.3, RFC 8422 §5.4).
    ///
    /// - Parameters:
    ///   - agreement: The agreement.
    ///   - verifier: The verifier of the signature.
    ///   - random: The random value of the sent hello.
    mutating func prove(_ agreement: Agreement, by verifier: any HandshakeSignatureVerifier, random: [UInt8]) {
        let (hello, flight) = (agreement.hello, agreement.flight)
        guard hello.version == .tls12, agreement.cipherSuite.hasForwardSecrecy, agreement.offer.hasExtensions,
            agreement.unofferedParameters.isEmpty, let key = flight.keyExchange, let scheme = key.signatureScheme,
            let leaf = flight.certificates?.first, let place = self.chain(of: flight.certificates),
            !self.chains[place].isProven
        else { return }
        if case .explicitCurve = key.group { return }
        var reader = OctetReader(key.signature[...])
        guard let signature = try? reader.readVector16(), reader.isAtEnd,
            verifier.verifies(
                Array(signature), over: random + hello.random + key.signedParameters, by: scheme, in: .tls12,
                keyOf: leaf)
        else { return }
        self.chains[place].isProven = true
        self.chains[place].timestamps = self.chains[place].timestamps ?? flight.timestamps
    }

    /// Records further features that only the holder of the key can authenticate.
    private mutating func addFeatures(of result: HandshakeResult) {
        guard let version = result.version, result.failure == nil else { return }
        if version == .tls12, let suite = result.cipherSuite, suite.hasForwardSecrecy {
            self.choices.insert(Choice(suite: suite, group: result.group, scheme: result.signatureScheme))
        }
        guard version >= .tls13 else { return }
        self.features.ocspStapling.note(result.ocspResponse != nil)
        self.features.signedCertificateTimestamps.note(result.timestamps != nil)
    }

    var unprovenChains: [(place: Int, version: TLSProtocolVersion, suites: [CipherSuite])] {
        let proven = Set(self.chains.filter(\.isProven).compactMap(\.certificates.first))
        return self.chains.indices.compactMap { place in
            guard let leaf = self.chains[place].certificates.first, !proven.contains(leaf),
                let (version, suites) = self.chainSuites[place]?.max(by: { $0.key < $1.key })
            else { return nil }
            return (place, version, suites.sorted { $0.rawValue < $1.rawValue })
        }
    }

    /// The maximum number of chains, far above the number of kinds of keys. Each chain costs memory, comparisons and an evaluation.
    private static let maximumChains = 16

    /// Records a presented chain and returns its index, or `nil` beyond the maximum number.
    private mutating func addChain(
        _ certificates: [[UInt8]], version: TLSProtocolVersion, response: [UInt8]?
    ) -> Int? {
        if certificates.count > 10 { self.add(.longChain(count: certificates.count)) }
        let place = self.chains.firstIndex { $0.certificates == certificates } ?? self.chains.count
        guard place < Self.maximumChains else {
            self.add(.manyChains)
            return nil
        }
        if place == self.chains.count { self.chains.append(ChainFact(certificates)) }
        if !self.chains[place].versions.contains(version) {
            self.chains[place].versions.append(version)
            self.chains[place].versions.sort(by: >)
        }
        self.chains[place].ocspResponse = self.chains[place].ocspResponse ?? response
        return place
    }

    private mutating func noteSigner(_ place: Int, in version: TLSProtocolVersion, with suite: CipherSuite) {
        if version >= .tls13 || suite.hasForwardSecrecy { self.chains[place].signsHandshakes = true }
        if version < .tls13, suite.keyExchange == .rsa { self.chains[place].deciphersSecrets = true }
    }

    func chain(of certificates: [[UInt8]]?) -> Int? {
        self.chains.firstIndex { $0.certificates == certificates }
    }

    mutating func set(_ change: (inout FeatureFacts) -> Void) { change(&self.features) }
}

extension Bool? {
    /// Records an observation. Once the value was `deciding`, it stays so.
    fileprivate mutating func note(_ value: Bool, unless deciding: Bool = true) {
        self = self == deciding ? deciding : value
    }
}
