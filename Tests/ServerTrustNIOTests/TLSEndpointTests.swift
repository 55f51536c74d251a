//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Testing

@testable import ServerTrustNIO

@Suite("Reading an endpoint")
struct TLSEndpointTests {
    @Test(
        "Accepts what a person would write",
        arguments: [
            ("example.com", "example.com", 443, "example.com:443"),
            ("example.com:8443", "example.com", 8443, "example.com:8443"),
            ("Example.COM.", "example.com", 443, "example.com:443"),
            ("bücher.example", "xn--bcher-kva.example", 443, "xn--bcher-kva.example:443"),
            ("2001:DB8:0::1", "2001:db8::1", 443, "[2001:db8::1]:443"),
            ("https://example.com:/", "example.com", 443, "example.com:443"),
            ("_dmarc.example.com:1", "_dmarc.example.com", 1, "_dmarc.example.com:1"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example", 443, "xn--bcher-kva.example:443"),
            ("localhost:65535", "localhost", 65535, "localhost:65535"),
            ("192.0.2.1", "192.0.2.1", 443, "192.0.2.1:443"),
            ("192.0.2.1:8443", "192.0.2.1", 8443, "192.0.2.1:8443"),
            ("[::1]:8443", "::1", 8443, "[::1]:8443"),
            ("[2001:db8::1]", "2001:db8::1", 443, "[2001:db8::1]:443"),
            ("::1", "::1", 443, "[::1]:443"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1", 443, "[::ffff:192.0.2.1]:443"),
            ("https://example.com", "example.com", 443, "example.com:443"),
            ("HTTPS://example.com:8443/path?query#fragment", "example.com", 8443, "example.com:8443"),
            ("https://example.com?a=b@c", "example.com", 443, "example.com:443"),
            ("https://[::1]:8443/", "::1", 8443, "[::1]:8443"),
            // RFC 4007 §11, and as URLs have it (RFC 6874 §2).
            ("fe80::1%eth0", "fe80::1", 443, "[fe80::1%eth0]:443"),
            ("[fe80::1%lo]", "fe80::1", 443, "[fe80::1%lo]:443"),
            ("[FE80::1%lo]:8443", "fe80::1", 8443, "[fe80::1%lo]:8443"),
            ("[fe80::1%25eth0]:443", "fe80::1", 443, "[fe80::1%eth0]:443"),
            ("https://[fe80::1%25br-lan.7]:8443/path", "fe80::1", 8443, "[fe80::1%br-lan.7]:8443"),
            ("[febf::1%2]", "febf::1", 443, "[febf::1%2]:443"),
        ]
    )
    func acceptsWhatAPersonWouldWrite(text: String, host: String, port: Int, description: String) throws {
        let endpoint = try TLSEndpoint(parsing: text)
        #expect(endpoint.host.text == host)
        #expect(endpoint.port == port)
        #expect(endpoint.connectAddress == nil)
        #expect(endpoint.description == description)
        #expect(try TLSEndpoint(parsing: endpoint.description) == endpoint)
    }

    @Test(
        "Refuses everything else and says why",
        arguments: [
            ("", TLSEndpointError.Code.empty),
            (":443", .empty),
            ("https://", .empty),
            ("https:///path", .empty),
            (" example.com", .containsSpace),
            ("example .com", .containsSpace),
            ("example.com\n", .containsSpace),
            ("example\u{0}.com", .containsSpace),
            ("user@example.com", .containsUserInformation),
            ("https://user:secret@example.com", .containsUserInformation),
            ("2001:db8::1%eth0", .containsZoneIdentifier),
            ("[::1%25lo]:443", .containsZoneIdentifier),
            ("[fec0::1%lo]:443", .containsZoneIdentifier),
            ("127.0.0.1%lo", .containsZoneIdentifier),
            ("fe80::1%", .invalidBrackets),
            ("[fe80::1%e th]:443", .containsSpace),
            ("[fe80::1%eth0%1]:443", .invalidBrackets),
            ("example%2ecom", .containsZoneIdentifier),
            ("http://example.com", .unsupportedScheme),
            ("ftp://example.com", .unsupportedScheme),
            ("://example.com", .unsupportedScheme),
            ("example.com/path", .pathWithoutScheme),
            ("[::1", .invalidBrackets),
            ("[example.com]:443", .invalidBrackets),
            ("[::1]443", .invalidBrackets),
            ("[]:443", .invalidBrackets),
            ("example.com:", .invalidPort),
            ("example.com:0", .invalidPort),
            ("example.com:65536", .invalidPort),
            ("example.com:+443", .invalidPort),
            ("example.com:-1", .invalidPort),
            ("example.com:https", .invalidPort),
            ("example.com:00000000443", .invalidPort),
            ("[::1]:", .invalidPort),
            ("1:2:3", .invalidIPv6Address),
            ("::1::", .invalidIPv6Address),
            ("::1]", .invalidIPv6Address),
            ("example..com", .invalidName),
            (".example.com", .invalidName),
            ("-example.com", .invalidName),
            ("example-.com", .invalidName),
            ("*.example.com", .invalidName),
            ("exa$mple.com", .invalidName),
            ("256.0.0.1", .invalidName),
            ("10.1", .invalidName),
            (".", .invalidName),
            ("ｅxample.com", .notASCII),
        ]
    )
    func refusesEverythingElse(text: String, code: TLSEndpointError.Code) {
        let error = #expect(throws: TLSEndpointError.self) {
            try TLSEndpoint(parsing: text)
        }
        #expect(error?.code == code)
        #expect(error?.input == text)
        #expect(error?.description.contains(". ") == true, "the description advises")
    }

    @Test("A label may have 63 characters and a name 253")
    func boundsLabelsAndNames() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try TLSEndpoint(host: label).host.text == label)
        #expect(throws: TLSEndpointError.self) { try TLSEndpoint(host: label + "a") }
        let name = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(try TLSEndpoint(host: name).host.text == name)
        #expect(throws: TLSEndpointError.self) { try TLSEndpoint(host: name + "b") }
    }

    @Test("Parts are checked like text", arguments: [("", 443), ("[::1", 443), ("a b", 443), ("a", 0), ("a", 65536)])
    func checksParts(host: String, port: Int) {
        #expect(throws: TLSEndpointError.self) { try TLSEndpoint(host: host, port: port) }
    }

    @Test("The address to connect to is checked like the host")
    func checksConnectAddress() throws {
        let endpoint = try TLSEndpoint(parsing: "example.com", connectAddress: "127.0.0.1")
        #expect(endpoint.connectAddress?.text == "127.0.0.1")
        #expect(throws: TLSEndpointError.self) {
            try TLSEndpoint(parsing: "example.com", connectAddress: "127.0.0.1:80")
        }
    }

    @Test("Control characters never reach the terminal")
    func escapesInput() {
        let error = #expect(throws: TLSEndpointError.self) { try TLSEndpoint(parsing: "\u{1B}[31m") }
        #expect(error?.description.contains("\u{1B}") == false)
    }

    @Test("The zone of what is connected to is kept, and is no part of the name")
    func zone() throws {
        let own = try TLSEndpoint(parsing: "[fe80::1%lo]:8443")
        #expect(own.zone == "lo" && own.host.text == "fe80::1" && own.connectName == "fe80::1%lo")
        let other = try TLSEndpoint(parsing: "a.test:8443", connectAddress: "fe80::2%eth1")
        #expect(other.zone == "eth1" && other.connectAddress?.text == "fe80::2" && other.connectName == "fe80::2%eth1")
        #expect(other.description == "a.test:8443" && other != own)
        #expect(try TLSEndpoint(parsing: "[fe80::1%lo]", connectAddress: "192.0.2.1").zone == nil)
        #expect(throws: TLSEndpointError.self) { try TLSEndpoint(parsing: "a.test", connectAddress: "192.0.2.1:443") }
        #expect(throws: TLSEndpointError.self) { try TLSEndpoint(host: "a.test", connectAddress: "::1%lo") }
    }
}
