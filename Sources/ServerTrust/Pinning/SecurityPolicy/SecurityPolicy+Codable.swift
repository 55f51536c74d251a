//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SecurityPolicy: Codable {
    /// AFNetworking's keys for secure coding, and an additional one for the semantics.
    private enum CodingKeys: String, CodingKey {
        case pinningMode = "SSLPinningMode"
        case pinnedCertificates
        case allowInvalidCertificates
        case validatesDomainName
        case semantics
    }

    /// Reads a policy that ``encode(to:)`` wrote.
    ///
    /// A missing setting, a pin that is not a certificate, and contradictory settings are errors. AFNetworking's decoder could lose
    /// the pins and return a policy without any.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let mode = try container.decode(Int.self, forKey: .pinningMode)
        guard let pinningMode = PinningMode(rawValue: mode) else {
            throw Self.corrupted(.pinningMode, container, description: "\(mode) is no pinning mode: 0, 1 and 2 are")
        }
        let name = try container.decodeIfPresent(String.self, forKey: .semantics) ?? Semantics.secure.rawValue
        guard let semantics = Semantics(rawValue: name) else {
            throw Self.corrupted(.semantics, container, description: "these semantics are not known")
        }
        do {
            try self.init(
                pinningMode: pinningMode,
                pinnedCertificates: try Self.certificates(in: container),
                allowInvalidCertificates: try container.decode(Bool.self, forKey: .allowInvalidCertificates),
                validatesDomainName: try container.decode(Bool.self, forKey: .validatesDomainName),
                semantics: semantics)
        } catch let error as SecurityPolicyError {
            throw Self.corrupted(.pinnedCertificates, container, description: "\(error)")
        }
    }

    /// Writes the policy, with certificates as their DER encodings in a stable order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let certificates = self.pinnedCertificates.map(\.derRepresentation).sorted { $0.lexicographicallyPrecedes($1) }
        try container.encode(self.pinningMode.rawValue, forKey: .pinningMode)
        try container.encode(certificates.map { Data($0) }, forKey: .pinnedCertificates)
        try container.encode(self.allowInvalidCertificates, forKey: .allowInvalidCertificates)
        try container.encode(self.validatesDomainName, forKey: .validatesDomainName)
        try container.encode(self.semantics.rawValue, forKey: .semantics)
    }

    private static func certificates(in container: KeyedDecodingContainer<CodingKeys>) throws -> [Certificate] {
        var elements = try container.nestedUnkeyedContainer(forKey: .pinnedCertificates)
        var certificates: [Certificate] = []
        while !elements.isAtEnd {
            guard certificates.count < CertificateFolder.maximumCount else {
                throw Self.corrupted(
                    .pinnedCertificates, container,
                    description: "there are more than \(CertificateFolder.maximumCount) certificates"
                )
            }
            let data = try elements.decode(Data.self)
            do {
                certificates.append(try Certificate(der: Array(data)))
            } catch {
                throw Self.corrupted(.pinnedCertificates, container, description: "\(error)")
            }
        }
        return certificates
    }

    private static func corrupted(
        _ key: CodingKeys, _ container: KeyedDecodingContainer<CodingKeys>, description: String
    ) -> DecodingError {
        .dataCorruptedError(forKey: key, in: container, debugDescription: description)
    }
}
