//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// XMPP's STARTTLS (RFC 6120 §5), without an XML parser. The names of a few tags are enough.
struct XMPPNegotiation: Negotiation {
    /// `jabber:client` or `jabber:server`.
    let namespace: String
    let serverName: String
    private var stage = Stage.header

    private enum Stage: Sendable, Hashable {
        case header
        case features
        case inFeatures(hasTLS: Bool)
        case asked
        case proceeding
        case error
    }

    init(namespace: String, serverName: String) {
        self.namespace = namespace
        self.serverName = serverName
    }

    mutating func opening() -> [UInt8] {
        let name = Self.escaped(self.serverName)
        let to = name.isEmpty ? "" : "to='\(name)' "
        return Array(
            """
            <?xml version='1.0'?><stream:stream \(to)xmlns='\(self.namespace)' \
            xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>
            """.utf8)
    }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        var allowsText = false
        if case .inFeatures = self.stage { allowsText = true }
        guard let tag = try input.tag(allowsText: allowsText) else { return .incomplete }
        if tag.isClosing, tag.name == "stream" { throw .rejected("the end of the stream") }
        if tag.name == "error", !tag.isClosing, !allowsText { return try self.error(tag) }
        switch self.stage {
        case .header: return try self.header(tag)
        case .features:
            guard tag.name == "features", !tag.isClosing else { throw .unexpected("") }
            guard !tag.isEmpty else { throw .notOffered }
            self.stage = .inFeatures(hasTLS: false)
            return .proceed
        case .inFeatures(let hasTLS): return try self.feature(tag, hasTLS)
        case .asked, .proceeding: return try self.answer(tag)
        case .error: throw .rejected(tag.name)
        }
    }

    private mutating func header(_ tag: XMLTag) throws(NegotiationError) -> NegotiationStep {
        if tag.isInstruction { return .proceed }
        guard tag.name == "stream" else { throw .unexpected("") }
        // RFC 6120 §4.7.5: a stream without a version has no features.
        guard tag.text.contains("version") else { throw .notOffered }
        self.stage = .features
        return .proceed
    }

    private mutating func feature(_ tag: XMLTag, _ hasTLS: Bool) throws(NegotiationError) -> NegotiationStep {
        guard tag.isClosing, tag.name == "features" else {
            self.stage = .inFeatures(hasTLS: hasTLS || tag.name == "starttls")
            return .proceed
        }
        guard hasTLS else { throw .notOffered }
        self.stage = .asked
        return .send(Array("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>".utf8))
    }

    private mutating func answer(_ tag: XMLTag) throws(NegotiationError) -> NegotiationStep {
        switch (tag.name, tag.isClosing) {
        case ("proceed", true) where self.stage == .proceeding: return .ready
        case ("proceed", false) where self.stage == .asked:
            if tag.isEmpty { return .ready }
            self.stage = .proceeding
            return .proceed
        case ("failure", false): throw .rejected("failure")
        default: throw .unexpected("")
        }
    }

    /// Waits for the name of the error, which is its first element (RFC 6120 §4.9.2).
    private mutating func error(_ tag: XMLTag) throws(NegotiationError) -> NegotiationStep {
        guard !tag.isEmpty else { throw .rejected("an error") }
        self.stage = .error
        return .proceed
    }

    /// Escapes a name for use between quotes. Drops white space and characters that XML does not allow, and keeps as many
    /// characters as RFC 7622 allows.
    private static func escaped(_ name: String) -> String {
        let special: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", "\"": "&quot;"]
        let scalars = name.unicodeScalars.lazy.filter {
            $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) && !$0.properties.isWhitespace
                && !$0.properties.isNoncharacterCodePoint
        }
        return scalars.prefix(255).map { special[$0] ?? String($0) }.joined()
    }
}
