//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes what there is to change, in the words of one server.
struct SnippetWriter {
    let syntax: ServerSyntax
    let context: AdviceContext

    /// The lines, with nothing at their end.
    func text(for kind: ServerAdvice.Kind) -> String {
        switch kind {
        case .speakTLS: self.syntax.listening(self.context.host, self.context.port)
        case .site: self.syntax.site(self.context.host)
        case .applicationProtocols: self.syntax.applicationProtocols
        case .newVersions: Self.newVersions
        case .largeHello: Self.largeHello
        case .version: self.placed(self.syntax.versions)
        case .cipherSuites: self.suites
        case .newSuites: self.syntax.newSuites
        case .groups: self.placed(self.syntax.groups)
        case .signatures: self.syntax.signatures
        case .extendedMasterSecret: self.syntax.extendedMasterSecret + "\n" + self.placed(self.syntax.versions)
        case .key, .keyKind: self.certificate(command: self.request(newKey: true), comment: Self.certified)
        case .digest, .name, .certificate:
            self.certificate(command: self.request(newKey: false), comment: Self.certified)
        case .chain: self.certificate(command: nil, comment: Self.chain)
        case .transparency: self.certificate(command: self.request(newKey: false), comment: Self.transparency)
        case .renewal: self.certificate(command: nil, comment: Self.renewal)
        case .authority: self.certificate(command: self.request(newKey: false), comment: Self.authority)
        case .redirect: self.syntax.redirect
        }
    }

    private func placed(_ lines: String) -> String { "\(self.syntax.place)\n\(lines)" }

    /// The new suites first, and behind them what is there already, so that no client is locked out.
    private var suites: String {
        let present = self.context.present ?? []
        let all = self.context.suites + present.filter { !self.context.suites.contains($0) }
        let list = self.syntax.suites(all.compactMap(self.syntax.name))
        guard self.context.present == nil else { return self.placed(list) }
        return self.placed("# before the suites that are there\n" + list)
    }

    private func certificate(command: String?, comment: String) -> String {
        let command = command.map { "# \($0)\n" } ?? ""
        return "\(command)\(comment)\n\(self.syntax.certificate)"
    }

    /// A request for a certificate, which is signed over SHA-256 and asks for the same.
    private func request(newKey: Bool) -> String {
        "openssl req -new -sha256 \(newKey ? self.newKey : "-key privkey.pem") -out request.pem -subj \(self.subject) "
            + "-addext \"subjectAltName=\(self.context.alternativeNames)\""
    }

    /// One of the old kind: the suites of TLS 1.2 go with a kind of key, and those that are there have to go on fitting.
    private var newKey: String {
        let kind = self.context.needsRSAKey ? "rsa:2048" : "ec -pkeyopt ec_paramgen_curve:P-256"
        return "-newkey \(kind) -nodes -keyout privkey.pem"
    }

    /// A common name has 64 characters at most (RFC 5280 §A.1, ub-common-name), and is for people only.
    private var subject: String { self.context.host.utf8.count > 64 ? "/" : "/CN=\(self.context.host)" }

    // No setting of a server mends these: its TLS library does, or what stands before it.
    private static let newVersions = """
        # Update the TLS library, or the load balancer or firewall before it: a server that has no TLS 1.3 is to choose
        # an older version (RFC 8446 §4.2.1). Until then, have another program that speaks TLS 1.3 in front of it.
        """
    private static let largeHello = """
        # Update the server, or the firewall or load balancer before it: a hello with a key of X25519MLKEM768 has about
        # 1,500 bytes and comes in two TCP segments, which have to be read together. https://tldr.fail describes the fault.
        """
    private static let certified = "# Have request.pem certified over SHA-256 by an authority that is trusted; then:"
    private static let authority = """
        # Have request.pem certified by a public authority; or, for devices you manage, have the root of your own
        # authority trusted by a profile. Then:
        """
    private static let transparency = """
        # Have request.pem certified by a public authority that puts signed certificate timestamps of two logs or more into
        # the certificate, as authorities for browsers do; see that it was not told to leave them out. An authority that has
        # them in OCSP responses alone needs stapling. A certificate for devices you manage can come from your own authority,
        # whose root a profile trusts: it needs no timestamps. Then:
        """
    private static let chain =
        "# fullchain.pem holds the server's certificate, then each intermediate, and not the root."
    private static let renewal = """
        # Renew the certificate where it comes from; with ACME: certbot renew, or acme.sh --renew. Then reload the
        # server, and find out why the failure was not noticed.
        """
}
