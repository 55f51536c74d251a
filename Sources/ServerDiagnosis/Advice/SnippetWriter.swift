//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The writer of a change in the syntax of one product.
struct SnippetWriter {
    let syntax: ServerSyntax
    let context: AdviceContext

    /// Returns the lines, without a line break at the end.
    func text(for kinds: [ServerAdvice.Kind]) -> String {
        guard let kind = kinds.first, kinds.count > 1 || kind.isOfNewCertificate else {
            return kinds.first.map(self.text) ?? ""
        }
        let isNew = self.context.needsNewKey || kinds.contains(.key) || kinds.contains(.keyKind)
        let comment =
            switch true {
            case kinds == [.renewal]: [Self.renewal, Self.ownAuthority]
            case kinds.contains(.authority): [Self.authority, Self.ownAuthority]
            case kinds.contains(.transparency): [Self.transparency]
            // The authority that issued this certificate must not issue the next.
            case self.context.needsOtherIssuer: [Self.otherAuthority]
            default: [Self.certified, Self.ownAuthority]
            }
        return self.certificate(
            command: self.request(newKey: isNew),
            comment: self.context.certificateRemedies.map(Self.commented) + comment)
    }

    private func text(for kind: ServerAdvice.Kind) -> String {
        switch kind {
        case .speakTLS: self.syntax.listening(self.context.host, self.context.port)
        case .site: self.site
        case .applicationProtocols: self.syntax.applicationProtocols
        case .newVersions: Self.newVersions
        case .largeHello: Self.largeHello
        case .hello: Self.hello
        case .version: self.placed(self.syntax.versions)
        case .cipherSuites: self.suites
        case .newSuites: self.syntax.newSuites
        case .groups: self.placed(self.syntax.groups)
        case .signatures: self.syntax.signatures
        case .extendedMasterSecret: self.syntax.extendedMasterSecret + "\n" + self.placed(self.syntax.versions)
        case .chain: self.certificate(command: nil, comment: [Self.chain])
        case .authorityCertificate: self.context.authorityRemedies.map(Self.commented).joined(separator: "\n")
        case .redirect: self.syntax.redirect
        case .key, .keyKind, .digest, .name, .certificate, .transparency, .renewal, .authority:
            self.certificate(command: self.request(newKey: false), comment: [Self.certified, Self.ownAuthority])
        }
    }

    /// The setting for a site. A ClientHello for an address names none (RFC 6066 §3).
    private var site: String {
        if self.context.sentName { return self.syntax.site(self.context.host) }
        let reason =
            self.context.isAddress
            ? "No name is sent for an address (RFC 6066 §3). Ask for the server by a name, or have a site answer without one."
            : "No name was sent. Ask with one, or have a site answer without one."
        return "\(Self.commented(reason))\n\(self.syntax.defaultSite(self.context.port))"
    }

    /// Returns the text as comment lines of limited width.
    private static func commented(_ text: String) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 116 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append("# \(word)")
            }
        }
        return lines.joined(separator: "\n")
    }

    private func placed(_ lines: String) -> String { "\(self.syntax.place)\n\(lines)" }

    /// The setting for suites, with the new ones first and the present ones after them, so that no client is locked out.
    private var suites: String {
        let present = self.context.present ?? []
        let all = self.context.suites + present.filter { !self.context.suites.contains($0) }
        let list = self.syntax.suites(all.compactMap(self.syntax.name))
        guard self.context.present == nil else { return self.placed(list) }
        return self.placed("# before the suites that are there\n" + list)
    }

    private func certificate(command: String?, comment: [String]) -> String {
        ((command.map { ["# \($0)"] } ?? []) + comment + [self.syntax.certificate]).joined(separator: "\n")
    }

    /// Returns the command for a certificate request. It is signed with SHA-256, and requests the key usages of a TLS server.
    private func request(newKey: Bool) -> String {
        let usage = self.context.needsRSAKey ? "digitalSignature,keyEncipherment" : "digitalSignature"
        return "openssl req -new -sha256 \(newKey ? self.newKey : "-key privkey.pem") -out request.pem "
            + "-subj \(self.subject) -addext \"subjectAltName=\(self.context.alternativeNames)\" "
            + "-addext \"keyUsage=critical,\(usage)\" -addext \"extendedKeyUsage=serverAuth\""
    }

    /// The option for a new key of the old kind. The suites of TLS 1.2 depend on the kind of key, and the present ones must still
    /// suit.
    private var newKey: String {
        let kind = self.context.needsRSAKey ? "rsa:2048" : "ec -pkeyopt ec_paramgen_curve:P-256"
        return "-newkey \(kind) -nodes -keyout privkey.pem"
    }

    /// The subject. A common name has at most 64 characters (RFC 5280 §A.1, ub-common-name) and serves only for display.
    private var subject: String { self.context.host.utf8.count > 64 ? "/" : "/CN=\(self.context.host)" }

    // No setting remedies these. The TLS library or a middlebox must be updated.
    private static let newVersions = """
        # Update the TLS library, or the load balancer or firewall before it: a server that has no TLS 1.3 is to choose
        # an older version (RFC 8446 §4.2.1). Until then, have another program that speaks TLS 1.3 in front of it.
        """
    private static let largeHello = """
        # Update the server, or the firewall or load balancer before it: a hello with a key of X25519MLKEM768 has about
        # 1,500 bytes and comes in two TCP segments, which have to be read together. https://tldr.fail describes the fault.
        """
    private static let hello = """
        # Update the server's TLS library, or the load balancer or firewall before it: a server ignores extensions that it
        # does not know (RFC 8446 §4.2). Where it fails at status_request, try it with stapling turned off, and with the
        # whole chain in its file of certificates: some libraries fail without the issuer.
        """
    private static let certified = """
        # Have request.pem certified over SHA-256, with these extensions and for 397 days at most, by an authority that is
        # trusted.
        """
    private static let ownAuthority = """
        # With an authority of your own (OpenSSL 3 or newer):
        # openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -days 397 -copy_extensions copy -out certificate.pem
        # Put the certificate and its intermediates into fullchain.pem:
        """
    private static let otherAuthority = """
        # The authority that issued the certificate may not issue it so. Have request.pem certified over SHA-256, for 397 days
        # at most, by another authority that is trusted. Put the certificate and its intermediates into fullchain.pem:
        """
    private static let authority = """
        # Have request.pem certified by a public authority. Or certify it by an authority of your own, and have its root
        # trusted on the devices by a profile. If the certificate is of your own authority already, the certificate may stay:
        # have the root trusted.
        """
    private static let transparency = """
        # Have request.pem certified by a public authority that puts signed certificate timestamps of two logs or more into
        # the certificate, as authorities for browsers do; see that it was not told to leave them out. An authority that has
        # them in OCSP responses alone needs stapling. A certificate for devices you manage can come from your own authority,
        # with a root that a profile trusts: it needs no timestamps. Then:
        """
    private static let chain =
        "# fullchain.pem holds the server's certificate, then each intermediate, and not the root."
    private static let renewal = """
        # Renew the certificate where it comes from. With ACME: certbot renew, or acme.sh --renew. Then reload the server,
        # and find out why the end was not noticed.
        """
}
