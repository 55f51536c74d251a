//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// A reader for the payloads of a profile.
struct ProfileReader {
    private let root: DocumentNode
    private(set) var payloads = 0
    private(set) var enrols = false
    private(set) var certificates: [ConfigurationProfile.CertificatePayload] = []
    private(set) var issues: [ProfileIssue] = []
    private(set) var exemptions = ConfigurationProfile.TransparencyExemptions()
    private(set) var revocationKeys: [[UInt8]] = []
    private(set) var servers: [ProfileServer] = []
    private var knownServers = Set<ProfileServer>()
    private var uuids = Set<String>()
    private var repeatedUUIDs = Set<String>()
    private var identityPayloads = Set<String>()
    /// The UUID of the identity that each payload of management names.
    private var identities: [String?] = []

    private static let maximumServers = 2_000
    private static let maximumCertificates = 2_000
    private static let maximumIssues = 200

    init(_ root: DocumentNode) throws(ProfileError) {
        guard root.dictionary != nil else {
            throw ProfileError(.notProfile("the file holds \(root.kindName) where a profile holds a dictionary"))
        }
        let isManifest = root["items"]?.array != nil
        guard
            root["PayloadContent"] != nil || root["EncryptedPayloadContent"] != nil || root["PayloadType"] != nil
                || isManifest
        else { throw ProfileError(.notProfile("the property list has no PayloadContent")) }
        self.root = root
    }

    var name: String {
        self.root["PayloadDisplayName"]?.string ?? self.root["PayloadIdentifier"]?.string ?? "a profile without a name"
    }

    mutating func read() throws(ProfileError) {
        if self.root["EncryptedPayloadContent"] != nil {
            self.report(
                .encrypted, "The payloads are encrypted for one device. The profile is known before that alone.")
        }
        let content = self.root["PayloadContent"]
        if self.root["EncryptedPayloadContent"] != nil, content != nil {
            self.report(.malformed, "The profile has payloads both encrypted and in the clear.")
        }
        if self.root["PayloadType"]?.string == "Configuration", let content, content.array == nil {
            self.report(.malformed, "PayloadContent is \(content.kindName), where a profile has a list of payloads.")
        }
        // Without a list of payloads the root is one payload, as in over-the-air enrollment, or a manifest of apps.
        if let list = self.root["PayloadContent"]?.array {
            for payload in list { self.readPayload(payload) }
        } else if self.root["items"]?.array != nil {
            self.readServers(of: self.root, type: "com.apple.declarations")
        } else {
            self.readPayload(self.root)
        }
        self.checkIdentities()
        self.checkPins()
    }

    private mutating func report(_ code: ProfileIssue.Code, _ message: String) {
        let issue = ProfileIssue(code, message)
        guard self.issues.count < Self.maximumIssues, !self.issues.contains(issue) else { return }
        self.issues.append(issue)
    }
}

// MARK: - One payload

extension ProfileReader {
    private mutating func readPayload(_ payload: DocumentNode) {
        guard payload.dictionary != nil, let type = payload["PayloadType"]?.string else {
            self.report(.value, "A payload has no PayloadType. Devices refuse it.")
            return
        }
        self.payloads += 1
        let uuid = payload["PayloadUUID"]?.string?.lowercased() ?? ""
        if !uuid.isEmpty, !self.uuids.insert(uuid).inserted { self.repeatedUUIDs.insert(uuid) }
        let isNested = type == "Configuration" && payload["PayloadContent"]?.array != nil && self.payloads > 1
        if isNested || type.contains(where: \.isWhitespace) {
            self.report(.malformed, "A payload has the type “\(type)”, which devices do not read there.")
        }
        guard payload["EncryptedPayloadContent"] == nil else {
            self.report(.encrypted, "The payload “\(Self.name(of: payload, type))” is encrypted, and is not read.")
            return
        }
        self.readServers(of: payload, type: type)
        switch type {
        case "com.apple.security.pkcs12", "com.apple.security.scep", "com.apple.security.acme":
            self.identityPayloads.insert(uuid)
        case "com.apple.mdm":
            if self.enrols { self.report(.malformed, "Two payloads enrol in management, and a device takes one.") }
            self.enrols = true
            self.checkManagement(payload)
            self.identities.append(payload["IdentityCertificateUUID"]?.string?.lowercased())
        case "com.apple.security.root", "com.apple.security.pkcs1", "com.apple.security.pem":
            self.readCertificates(of: payload, type: type)
        case "com.apple.security.certificatetransparency":
            self.exemptions.domains += payload["DisabledForDomains"]?.array?.compactMap(\.string) ?? []
            self.exemptions.keys += self.keys(payload["DisabledForCerts"])
        case "com.apple.security.certificaterevocation":
            self.revocationKeys += self.keys(payload["EnabledForCerts"])
        default: break
        }
    }

    /// Reports server URLs and pins in the payload of management that devices do not accept.
    private mutating func checkManagement(_ payload: DocumentNode) {
        for key in ["ServerURL", "CheckInURL"] {
            guard let node = payload[key] else {
                if key == "ServerURL" { self.report(.malformed, "The payload of management has no ServerURL.") }
                continue
            }
            let text = node.string ?? ""
            let isURL =
                text.lowercased().hasPrefix("http") && text.contains("://") && !text.contains { "{}\"<> ".contains($0) }
            if !isURL { self.report(.malformed, "\(key) is no URL that devices load.") }
            let pins = payload["\(key)PinningCertificateUUIDs"]
            let texts = pins?.array?.map(\.string) ?? []
            if pins != nil, pins?.array == nil || texts.contains(where: { ($0 ?? "").isEmpty }) {
                self.report(.malformed, "\(key)PinningCertificateUUIDs is no list of identifiers.")
            }
        }
    }

    static func name(of payload: DocumentNode, _ type: String) -> String {
        payload["PayloadDisplayName"]?.string ?? payload["PayloadIdentifier"]?.string ?? type
    }

    /// Returns the SHA-256 digests of keys from dictionaries with the keys `Algorithm` and `Hash`.
    private mutating func keys(_ node: DocumentNode?) -> [[UInt8]] {
        (node?.array ?? []).compactMap { item in
            guard item["Algorithm"]?.string?.lowercased() == "sha256", let hash = item["Hash"]?.data, hash.count == 32
            else {
                self.report(
                    .value, "The hash of a key is not of 32 octets with the algorithm sha256. It means nothing.")
                return nil
            }
            return hash
        }
    }

    private mutating func readCertificates(of payload: DocumentNode, type: String) {
        let name = Self.name(of: payload, type)
        guard let octets = payload["PayloadContent"]?.data else {
            self.report(.certificate, "The payload “\(name)” has no certificate.")
            return
        }
        let read: [Certificate]
        do {
            read = try Certificate.certificates(in: octets)
        } catch {
            self.report(.certificate, "The certificate of the payload “\(name)” cannot be read: \(error)")
            return
        }
        for certificate in read where self.certificates.count < Self.maximumCertificates {
            self.certificates.append(
                ConfigurationProfile.CertificatePayload(
                    uuid: payload["PayloadUUID"]?.string?.lowercased() ?? "", name: name, certificate: certificate,
                    isRoot: certificate.isSelfSigned))
        }
    }
}

// MARK: - Servers

extension ProfileReader {
    private mutating func readServers(of payload: DocumentNode, type: String) {
        for key in ProfileServerKey.all where key.type == type {
            for value in Self.values(payload, key.path[...]) {
                guard let text = value.string, !text.isEmpty else {
                    self.report(
                        .value, "\(key.name) of “\(Self.name(of: payload, type))” is \(value.kindName), and no text.")
                    continue
                }
                self.add(text, key, of: payload)
            }
        }
    }

    private static func values(_ node: DocumentNode, _ path: ArraySlice<String>) -> [DocumentNode] {
        guard let key = path.first else { return [node] }
        if key == "[]" { return (node.array ?? []).flatMap { Self.values($0, path.dropFirst()) } }
        return node[key].map { Self.values($0, path.dropFirst()) } ?? []
    }

    private mutating func add(_ text: String, _ key: ProfileServerKey, of payload: DocumentNode) {
        let (address, rule, startTLS) = Self.address(text, key, payload)
        var server = ProfileServer(
            payloadType: key.type, payloadName: Self.name(of: payload, key.type), key: key.name, address: address,
            startTLS: startTLS, rule: rule)
        if key.type == "com.apple.mdm" {
            let own = Self.uuids(payload["\(key.name)PinningCertificateUUIDs"])
            server.pins = own
            server.requiresRevocation = payload["PinningRevocationCheckRequired"]?.boolean == true && !own.isEmpty
        }
        guard self.servers.count < Self.maximumServers else {
            self.report(
                .tooMuch, "The profile names more than \(Self.maximumServers) servers. The others are not read.")
            return
        }
        if self.knownServers.insert(server).inserted { self.servers.append(server) }
    }

    private static func uuids(_ node: DocumentNode?) -> [String] {
        node?.array?.compactMap { $0.string?.lowercased() } ?? node?.string.map { [$0.lowercased()] } ?? []
    }

    private static func address(
        _ text: String, _ key: ProfileServerKey, _ payload: DocumentNode
    ) -> (String, ProfileServer.Rule, startTLS: String?) {
        switch key.form {
        case .url:
            // The URL template of DNS over HTTPS has its variable in braces.
            let url = String(text.prefix { $0 != "{" })
            let isPlain = url.lowercased().hasPrefix("http://")
            return (url, isPlain && key.rule == .tls ? .exempt : key.rule, nil)
        case .name(let port):
            return (port == 0 ? text : "\(text):\(port)", key.rule, nil)
        case .host(let portKey, let tlsKey, let ports, let startTLS):
            guard !text.contains("://") else { return (text, text.hasPrefix("http://") ? .exempt : key.rule, nil) }
            let usesTLS = tlsKey.flatMap { payload[$0]?.boolean } ?? true
            let port = portKey.flatMap { payload[$0]?.integer } ?? (usesTLS ? ports.tls : ports.plain)
            let isUpgraded = usesTLS && startTLS != nil && [25, 110, 143, 587].contains(port)
            let before = isUpgraded ? (port == 110 ? "pop3" : startTLS) : nil
            return (text.contains(":") ? text : "\(text):\(port)", usesTLS ? key.rule : .exempt, before)
        }
    }
}

// MARK: - Relations between payloads

extension ProfileReader {
    /// Reports payloads of management without their identity, which devices do not install (MCProfileErrorDomain, 1000).
    private mutating func checkIdentities() {
        for identity in self.identities {
            guard let identity else {
                self.report(
                    .noIdentity,
                    "The payload of management has no IdentityCertificateUUID. Devices do not install the profile "
                        + "(MCProfileErrorDomain, 1000).")
                continue
            }
            guard !self.identityPayloads.contains(identity) || identity.isEmpty else { continue }
            self.report(
                .noIdentity,
                "IdentityCertificateUUID \(identity) names no payload of the profile that installs an identity. Devices do not install the profile "
                    + "(MCProfileErrorDomain, 1000).")
        }
    }

    private mutating func checkPins() {
        let known = Set(self.certificates.map(\.uuid)).subtracting([""])
        for server in self.servers {
            for pin in server.pins where self.repeatedUUIDs.contains(pin) {
                self.report(
                    .malformed, "A pin of \(server.key), \(pin), names two payloads, and may mean either.")
            }
            for pin in server.pins where !known.contains(pin) {
                self.report(
                    .unknownPin,
                    "A pin of \(server.key), \(pin), names no certificate of the profile. No server passes it.")
            }
        }
    }
}
