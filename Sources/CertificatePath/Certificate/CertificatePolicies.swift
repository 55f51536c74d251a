//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CertificateView {
    /// The identifiers of the certificate policies extension, without duplicates.
    package var policyIdentifiers: Set<OID> {
        let bytes = self.bytes
        var reader = DERReader(self.fields.extensions.certificatePolicies, in: bytes.span)
        var identifiers: Set<OID> = []
        while let information = try? reader.nested(.sequence, in: bytes.span) {
            var information = information
            guard let range = try? information.objectIdentifier(in: bytes.span) else { break }
            identifiers.insert(OID(range, in: bytes))
        }
        return identifiers
    }

    var policyInformation: PolicyInformation {
        let bytes = self.bytes
        var reader = DERReader(self.fields.extensions.certificatePolicies, in: bytes.span)
        var (count, haveKnownQualifiers) = (0, true)
        while var information = try? reader.nested(.sequence, in: bytes.span) {
            count += 1
            guard (try? information.objectIdentifier(in: bytes.span)) != nil else { break }
            guard var qualifiers = try? information.nested(.sequence, in: bytes.span) else { continue }
            while var qualifier = try? qualifiers.nested(.sequence, in: bytes.span) {
                let identifier = try? qualifier.packedIdentifier(in: bytes.span)
                if identifier.map(PolicyInformation.knownQualifiers.contains) != true { haveKnownQualifiers = false }
            }
        }
        return PolicyInformation(
            areDistinct: self.policyIdentifiers.count == count, haveKnownQualifiers: haveKnownQualifiers)
    }

    var policyMappings: [(issuer: OID, subject: OID)] {
        let bytes = self.bytes
        var reader = DERReader(self.fields.extensions.policyMappings, in: bytes.span)
        var mappings: [(issuer: OID, subject: OID)] = []
        while let mapping = try? reader.nested(.sequence, in: bytes.span) {
            var mapping = mapping
            guard let issuer = try? mapping.objectIdentifier(in: bytes.span),
                let subject = try? mapping.objectIdentifier(in: bytes.span)
            else { break }
            mappings.append((OID(issuer, in: bytes), OID(subject, in: bytes)))
        }
        return mappings
    }

    /// The identifiers of the extended key usage extension, in order.
    public var extendedKeyUsages: [OID] {
        let bytes = self.bytes
        var reader = DERReader(self.fields.extensions.extendedKeyUsage, in: bytes.span)
        var identifiers: [OID] = []
        while let range = try? reader.objectIdentifier(in: bytes.span) {
            identifiers.append(OID(range, in: bytes))
        }
        return identifiers
    }
}

/// The properties of a certificate policies extension that rules need (RFC 5280 §4.2.1.4).
struct PolicyInformation {
    let areDistinct: Bool
    /// `true` if every qualifier is a CPS pointer or a user notice.
    let haveKnownQualifiers: Bool

    static let knownQualifiers: Set<PackedOID> = [
        PackedOID([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x02, 0x01]),
        PackedOID([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x02, 0x02]),
    ]
}
