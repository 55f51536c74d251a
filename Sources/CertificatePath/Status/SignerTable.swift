//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The supplied certificates that may have signed lists and responses, by name, key identifier and key.
///
/// Each certificate of a name may have signed each document in that name, and an attacker may send many of both. A
/// search pays for each pair (``SignatureMemo/spendPair()``). The most likely signers are found by a look-up.
final class SignerTable {
    /// The supplied certificates, in any order.
    let certificates: [CertificateView]
    private var groups: [Int: Group]?
    private var keys: [[UInt8]: [CertificateView]]?
    private var identifiersOfKeys: [[UInt8]: KeyIdentifiers] = [:]
    private var identifiers: [ObjectIdentifier: KeyIdentifiers] = [:]

    /// The certificates of one name without duplicates, in an order that does not depend on the order of the input.
    struct Group {
        fileprivate(set) var all: [CertificateView] = []
        /// The certificates with a key usage that allows signing lists.
        fileprivate(set) var signers: [CertificateView] = []
        private var signersByIdentifier: [[UInt8]: [CertificateView]] = [:]

        fileprivate mutating func finish() {
            self.all.sort { $0.precedes($1) }
            self.signers = self.all.filter(\.saysItSignsLists)
            for signer in self.signers where signer.has(.subjectKeyIdentifier) {
                self.signersByIdentifier[signer.bytes[signer.fields.extensions.subjectKeyIdentifier], default: []]
                    .append(signer)
            }
        }

        func signers(namedBy list: CertificateList) -> [CertificateView] {
            let identifier = list.fields.authorityKeyIdentifier
            return identifier.isEmpty ? [] : self.signersByIdentifier[list.bytes[identifier]] ?? []
        }
    }

    init(_ certificates: [CertificateView]) { self.certificates = certificates }

    func group(named name: NameSource, in owner: AnyObject, _ names: inout NameTable) -> Group {
        let groups = self.groups ?? self.makeGroups(&names)
        self.groups = groups
        return groups[names.number(of: name, in: owner)] ?? Group()
    }

    private func makeGroups(_ names: inout NameTable) -> [Int: Group] {
        var seen: Set<CertificateView> = []
        var groups: [Int: Group] = [:]
        for certificate in self.certificates where seen.insert(certificate).inserted {
            groups[names.number(of: certificate.subjectName, in: certificate), default: Group()].all.append(certificate)
        }
        return groups.mapValues { group in
            var group = group
            group.finish()
            return group
        }
    }

    /// Returns the identifiers of a signer's key.
    ///
    /// - Parameters:
    ///   - signer: A certificate with the key.
    ///   - certificate: A certificate that the key signed, if one is available.
    func identifiers(of signer: CertificateView, below certificate: CertificateView? = nil) -> KeyIdentifiers {
        if certificate == nil, let known = self.identifiers[ObjectIdentifier(signer)] { return known }
        let identifiers = self.identifiers(ofKeyIn: signer).with(signer: signer, below: certificate)
        if certificate == nil { self.identifiers[ObjectIdentifier(signer)] = identifiers }
        return identifiers
    }

    private func identifiers(ofKeyIn signer: CertificateView) -> KeyIdentifiers {
        let keys = self.keys ?? Dictionary(grouping: self.certificates, by: \.keyOctets)
        self.keys = keys
        let octets = signer.keyOctets
        let identifiers = self.identifiersOfKeys[octets] ?? KeyIdentifiers(ofKeyIn: keys[octets] ?? [signer])
        self.identifiersOfKeys[octets] = identifiers
        return identifiers
    }
}

extension CertificateView {
    /// The DER encoding of the SubjectPublicKeyInfo.
    var keyOctets: [UInt8] { Array(self.bytes.slice(self.fields.subjectPublicKeyInfo.whole)) }
}
