//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parser or judge that is fed with hostile bytes.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// PEM texts, Base64, files of trusted certificates, public suffix lists.
    case pem
    /// Host names, addresses and name constraints.
    case names
    /// OCSP responses.
    case ocsp
    /// Revocation lists.
    case crl
    /// The line protocol of `servertrust conformance`.
    case lines
    /// Configurations of pins.
    case pins
    /// Info.plists and what App Transport Security makes of them.
    case transport
    /// Answers of servers and proxies to a prober.
    case probe
    /// Handshakes that a prober reads.
    case handshake
    /// Signed certificate timestamps, certificates with some in them, and lists of logs.
    case transparency
    /// Compressed data.
    case compression
    /// Challenges of servers and proxies, and what they tell of a digest.
    case authentication
    /// Cookies that servers set, and files of cookies.
    case cookies
    /// Responses of HTTP/1.1.
    case response
    /// Requests of HTTP/1.1, as a proxy reads them.
    case request
    /// Hellos of clients, as a proxy reads them.
    case hello
    /// PKCS#12 files.
    case pkcs12
    /// Configuration profiles.
    case profile
    /// Signed messages (CMS).
    case cms
    /// Zip archives.
    case zip
    /// Logs of devices.
    case log
    /// Certificates.
    case certificate
    /// Chains that were signed properly and then damaged.
    case damage
    /// Chains made of anything.
    case validation

    /// Feeds the target and holds what comes out against what must be true of it.
    ///
    /// - Returns: What is not true; empty when all is well.
    public func violations(for bytes: [UInt8]) -> [String] {
        var findings = Findings()
        switch self {
        case .pem: PEMTarget.run(bytes, &findings)
        case .names: NamesTarget.run(bytes, &findings)
        case .ocsp: OCSPTarget.run(bytes, &findings)
        case .crl: RevocationListTarget.run(bytes, &findings)
        case .lines: LinesTarget.run(bytes, &findings)
        case .pins: PinsTarget.run(bytes, &findings)
        case .transport: TransportTarget.run(bytes, &findings)
        case .probe: ProbeTarget.run(bytes, &findings)
        case .handshake: HandshakeTarget.run(bytes, &findings)
        case .transparency: TransparencyTarget.run(bytes, &findings)
        case .compression: CompressionTarget.run(bytes, &findings)
        case .authentication: AuthenticationTarget.run(bytes, &findings)
        case .cookies: CookiesTarget.run(bytes, &findings)
        case .response: ResponseTarget.run(bytes, &findings)
        case .request: RequestTarget.run(bytes, &findings)
        case .hello: HelloTarget.run(bytes, &findings)
        case .pkcs12: PKCS12Target.run(bytes, &findings)
        case .profile: ProfileTarget.run(bytes, &findings)
        case .cms: SignedMessageTarget.run(bytes, &findings)
        case .zip: ZipTarget.run(bytes, &findings)
        case .log: LogTarget.run(bytes, &findings)
        case .certificate: CertificateTarget.run(bytes, &findings)
        case .damage: DamageTarget.run(bytes, &findings)
        case .validation: ValidationTarget.run(bytes, &findings)
        }
        return findings.violations
    }

    /// Inputs worth starting from.
    public var seeds: [[UInt8]] {
        get throws {
            switch self {
            case .pem: try PEMTarget.seeds()
            case .names: NamesTarget.seeds()
            case .ocsp: try OCSPTarget.seeds()
            case .crl: try RevocationListTarget.seeds()
            case .lines: try LinesTarget.seeds()
            case .pins: try PinsTarget.seeds()
            case .transport: TransportTarget.seeds()
            case .probe: ProbeTarget.seeds()
            case .handshake: HandshakeTarget.seeds()
            case .transparency: try TransparencyTarget.seeds()
            case .compression: CompressionTarget.seeds()
            case .authentication: AuthenticationTarget.seeds()
            case .cookies: CookiesTarget.seeds()
            case .response: ResponseTarget.seeds()
            case .request: RequestTarget.seeds()
            case .hello: HelloTarget.seeds()
            case .pkcs12: PKCS12Target.seeds()
            case .profile: ProfileTarget.seeds()
            case .cms: SignedMessageTarget.seeds()
            case .zip: ZipTarget.seeds()
            case .log: LogTarget.seeds()
            case .certificate: try CertificateTarget.seeds()
            case .damage: DamageTarget.seeds()
            case .validation: try ValidationTarget.seeds()
            }
        }
    }
}

/// What was found not to be true.
struct Findings {
    private(set) var violations: [String] = []

    mutating func expect(_ condition: Bool, _ rule: @autoclosure () -> String) {
        if !condition { self.violations.append(rule()) }
    }
}
