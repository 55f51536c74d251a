//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOHPACK

/// The fields of a response, or of its trailers, in HTTP/2 (RFC 9113 §8.2 and §8.3.2).
struct HTTP2ResponseFields {
    private let status: Int?
    private let fields: HTTPFields

    /// - Parameters:
    ///   - status: The status; `nil` for trailers.
    ///   - fields: The fields, without those that are for one connection alone.
    init(_ status: Int?, _ fields: HTTPFields) { (self.status, self.fields) = (status, fields) }

    /// The fields.
    ///
    /// - Parameter keepsFields: Whether fields go into the table that both ends keep (RFC 7541 §2.3.2).
    func headers(keepsFields: Bool) -> HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(self.fields.count + 1)
        let indexing = keepsFields ? HPACKIndexing.indexable : .nonIndexable
        if let status { headers.add(name: ":status", value: String(status), indexing: indexing) }
        for field in self.fields {
            headers.add(
                name: field.name.canonicalName, value: field.value,
                indexing: Self.secret.contains(field.name) ? .neverIndexed : indexing)
        }
        return headers
    }

    /// What must not be found out by guesses at the table of fields (RFC 7541 §7.1.3).
    private static let secret: Set<HTTPField.Name> = [.setCookie, .authenticationInfo]
}
