//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a program and a server said to each other about a request, without content: for exports that are asked for.
public struct ProxiedExchange: Sendable {
    /// How much is shown.
    public enum Detail: Sendable, Hashable {
        /// Nothing.
        case none
        /// The path, the names in the query, and the fields. Values that may be secret are `(hidden)`: those in the query, and those
        /// of all fields but well-known ones.
        case withoutSecrets
        /// Everything but content: also passwords, cookies and keys.
        case dangerouslyWithSecrets
    }

    /// The path and the query; `*` for a server as a whole.
    public let target: String
    /// The fields of the request.
    public let requestFields: HTTPFields
    /// The fields of the server's response; none where the program got no response of the server.
    public private(set) var responseFields = HTTPFields()
    /// The address of the server; `nil` where it is not known.
    public private(set) var address: String?
    /// When the head of the response had come; `nil` without one.
    public private(set) var responseStart: Date?

    private let showsSecrets: Bool

    /// `nil` where nothing is shown.
    init?(_ detail: Detail, target: String, _ fields: HTTPFields) {
        guard detail != .none else { return nil }
        self.showsSecrets = detail == .dangerouslyWithSecrets
        self.target = self.showsSecrets ? target : ShownFields.withoutQueryValues(target)
        self.requestFields = self.showsSecrets ? fields : ShownFields.fields(fields)
    }

    /// Notes the head of a response.
    mutating func note(_ fields: HTTPFields, from address: String?) {
        self.responseFields = self.showsSecrets ? fields : ShownFields.fields(fields)
        (self.address, self.responseStart) = (address, Date())
    }
}
