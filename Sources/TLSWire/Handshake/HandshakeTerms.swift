//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules for a server's choices from a hello. Any other answer is refused.
struct HandshakeTerms {
    private let hello: ClientHello

    init(_ hello: ClientHello) {
        self.hello = hello
    }

    /// Checks a ServerHello or a HelloRetryRequest (RFC 8446 §4.1.3, RFC 5246 §7.4.1.3).
    func check(_ answer: ServerHello) throws(HandshakeError) {
        guard self.hello.offers(answer.version) else { throw .unoffered("\(answer.version)") }
        guard self.hello.offers(answer.cipherSuite), answer.cipherSuite.isTLS13 == (answer.version >= .tls13),
            answer.cipherSuite.earliestVersion.map({ $0 <= answer.version }) ?? true
        else { throw .unoffered("\(answer.cipherSuite) in \(answer.version)") }
        guard answer.compressionMethod == 0 else { throw .illegalValue("compression") }
        try self.checkSession(answer)
        try self.checkDowngrade(answer)
        for element in answer.extensions where !self.isAllowed(element.type, in: answer) {
            throw .unoffered("the extension \(element.type.rawValue) in \(answer.version)")
        }
        guard let name = answer.applicationProtocol else { return }
        guard self.hello.applicationProtocols.contains(Array(name.utf8)) else {
            throw .unoffered("the protocol \(name)")
        }
    }

    /// Checks the session identifier. TLS 1.3 echoes it. In older versions an echo resumes a session, and the client has none.
    private func checkSession(_ answer: ServerHello) throws(HandshakeError) {
        if answer.version >= .tls13 {
            guard answer.sessionID == self.hello.sessionID, answer.legacyVersion == .tls12 else {
                throw .illegalValue("the session of TLS 1.3, or its version of old")
            }
        } else {
            guard answer.sessionID.isEmpty || answer.sessionID != self.hello.sessionID else {
                throw .illegalValue("a session that was never begun")
            }
            guard !answer.has(.supportedVersions), !answer.isRetryRequest else {
                throw .illegalValue("\(answer.version) by the extension of TLS 1.3")
            }
        }
    }

    private func checkDowngrade(_ answer: ServerHello) throws(HandshakeError) {
        guard answer.hasDowngradeSentinel, answer.version < .tls13 else { return }
        if self.hello.newestVersion >= .tls13 { throw .downgrade }
        // The last octet tells which newer version the server supports at least: 0 means TLS 1.2, and 1 means TLS 1.3.
        if self.hello.newestVersion == .tls12, answer.version < .tls12, answer.random.last == 0 { throw .downgrade }
    }

    private func isAllowed(_ type: HelloExtension.ExtensionType, in answer: ServerHello) -> Bool {
        guard answer.version < .tls13 else {
            return type == .supportedVersions || type == .keyShare || (type == .cookie && answer.isRetryRequest)
        }
        // RFC 5746 §3.4: the signaling suite requests it, too.
        let isSignaled = self.hello.cipherSuites.contains(CipherSuite(rawValue: 0x00FF))
        return self.hello.offers(type) || (type == .renegotiationInfo && isSignaled)
    }
}
