//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension Mutation {
    static let authorityKeyIdentifier = "2.5.29.35"
    static let subjectKeyIdentifier = "2.5.29.14"

    static var fields: [Mutation] {
        [
            Mutation("expired", .any) { certificate, _ in certificate.notAfter = DER.utcTime("260531235959Z") },
            Mutation("expires now", .any) { certificate, _ in certificate.notAfter = DER.utcTime("260601000000Z") },
            Mutation("not yet valid", .any) { certificate, _ in certificate.notBefore = DER.utcTime("260601000001Z") },
            Mutation("valid from now", .any) { certificate, _ in certificate.notBefore = DER.utcTime("260601000000Z") },
            Mutation("year 9999", .any) { certificate, _ in
                certificate.notAfter = DER.generalizedTime("99991231235959Z")
            },
            Mutation("generalized time before 2050", .any) { certificate, _ in
                certificate.notAfter = DER.generalizedTime("20300101000000Z")
            },
            Mutation("version 1", .any) { certificate, _ in certificate.makeVersion1() },
            Mutation("version 2", .any) { certificate, _ in
                (certificate.version, certificate.extensions) = (DER.element(0xA0, DER.integer(1)), [])
            },
            Mutation("no extensions", .any) { certificate, _ in certificate.extensions = [] },
            Mutation("serial number", .any) { certificate, random in
                certificate.serialNumber = random.pick([
                    DER.integer(0), DER.element(0x02, [0x80]),
                    DER.element(0x02, [0x7F] + [UInt8](repeating: 1, count: 19)),
                    DER.element(0x02, [0x7F] + [UInt8](repeating: 1, count: 20)), DER.element(0x02, [0x00, 0x01]),
                ])
            },
            Mutation("empty subject", .any) { certificate, _ in certificate.subject = DER.sequence() },
            Mutation("unique identifiers", .any) { certificate, _ in
                certificate.uniqueIdentifiers = DER.element(0x81, [0, 1, 2]) + DER.element(0x82, [0, 3])
            },
            Mutation("other authority key identifier", .any) { certificate, _ in
                certificate.set(.authorityKeyIdentifier([9, 9, 9]))
            },
            Mutation("no authority key identifier", .any) { certificate, _ in
                certificate.remove(self.authorityKeyIdentifier)
            },
            Mutation("authority key identifier with issuer", .any) { certificate, random in
                let issuer = random.chance(2) ? certificate.issuer : TestDER.name([[.cn("Someone else")]])
                let value = DER.sequence(DER.element(0xA1, DER.element(0xA4, issuer)) + DER.element(0x82, [0x11]))
                certificate.set(TestExtension(self.authorityKeyIdentifier, value))
            },
            Mutation("no subject key identifier", .any) { certificate, _ in
                certificate.remove(self.subjectKeyIdentifier)
            },
            Mutation("critical key identifier", .any) { certificate, random in
                certificate.set(
                    random.chance(2)
                        ? .subjectKeyIdentifier([1, 2], critical: true)
                        : .authorityKeyIdentifier([1, 2], critical: true))
            },
        ]
    }

    static var usages: [Mutation] {
        [
            Mutation("no basic constraints", .issuers) { certificate, _ in certificate.remove("2.5.29.19") },
            Mutation("not an authority", .issuers) { certificate, _ in certificate.set(.basicConstraints(false)) },
            Mutation("basic constraints not critical", .issuers) { certificate, _ in
                certificate.set(.basicConstraints(true, critical: false))
            },
            Mutation("leaf is an authority", .leaf) { certificate, _ in certificate.set(.basicConstraints(true)) },
            Mutation("path length", .any) { certificate, random in
                certificate.set(.basicConstraints(true, pathLength: random.pick([0, 0, 1, 2, 300])))
            },
            Mutation("path length of no authority", .any) { certificate, _ in
                certificate.set(.basicConstraints(false, pathLength: 0))
            },
            Mutation("key usage without keyCertSign", .issuers) { certificate, random in
                certificate.set(random.chance(2) ? .keyUsage(0) : .keyUsage(6))
            },
            Mutation("no key usage", .any) { certificate, _ in certificate.remove("2.5.29.15") },
            Mutation("key usage of a leaf", .leaf) { certificate, random in
                certificate.set(
                    random.pick([.keyUsage(5), .keyUsage(4), .keyUsage(2), .keyUsage(1), .keyUsage(0, critical: false)])
                )
            },
            Mutation("extended key usage", .any, of: self.extendedKeyUsages) { certificate, usages in
                certificate.set(TestExtension("2.5.29.37", DER.list(usages.map(DER.oid))))
            },
            Mutation("critical extended key usage", .any) { certificate, _ in
                certificate.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1", critical: true))
            },
            Mutation("no extended key usage", .leaf) { certificate, _ in certificate.remove("2.5.29.37") },
            Mutation("unknown critical extension", .any) { certificate, _ in
                certificate.extensions.append(TestExtension("1.2.3.4.5", critical: true, [5, 0]))
            },
            Mutation("unknown extension", .any) { certificate, _ in
                certificate.extensions.append(TestExtension("1.2.3.4.5", [5, 0]))
            },
            Mutation("extension twice", .any) { certificate, random in
                guard let item = certificate.extensions.randomElement(using: &random) else { return }
                certificate.extensions.append(item)
            },
        ]
    }

    private static let extendedKeyUsages = [
        ["1.3.6.1.5.5.7.3.2"], ["2.5.29.37.0"], ["1.2.3.4"], ["1.3.6.1.4.1.311.10.3.3"],
        ["2.5.29.37.0", "1.3.6.1.5.5.7.3.1"],
    ]
}
