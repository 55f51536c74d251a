//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes
package import NIOHPACK

extension HPACKHeaders {
    /// Adds fields in the form of HTTP/2 (RFC 9113 §8.2).
    ///
    /// - Parameters:
    ///   - fields: The fields without those that concern a single connection.
    ///   - keepsFields: `true` to add fields to the dynamic table (RFC 7541 §2.3.2).
    package mutating func add(_ fields: some Sequence<HTTPField>, keepsFields: Bool) {
        for field in fields {
            let indexing: HPACKIndexing =
                Self.secrets.contains(field.name) ? .neverIndexed : keepsFields ? .indexable : .nonIndexable
            self.add(name: field.name.canonicalName, value: field.value, indexing: indexing)
        }
    }

    /// The fields with secret values, which must not be exposed to guesses through the dynamic table (RFC 7541 §7.1.3).
    private static let secrets: Set<HTTPField.Name> = [
        .authorization, .proxyAuthorization, .cookie, .setCookie, .authenticationInfo,
    ]
}
