//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import HTTPSession

func response(_ status: Int, _ fields: (HTTPField.Name, String)...) -> HTTPResponse {
    var response = HTTPResponse(status: HTTPResponse.Status(code: status))
    for (name, value) in fields { response.headerFields.append(HTTPField(name: name, value: value)) }
    return response
}

/// A response with challenges of a server.
func challenge(_ values: String...) -> HTTPResponse {
    var response = HTTPResponse(status: .unauthorized)
    for value in values { response.headerFields.append(HTTPField(name: .wwwAuthenticate, value: value)) }
    return response
}

func credential(_ user: String = "Mufasa", _ password: String = "Circle of Life") throws -> HTTPCredential {
    try HTTPCredential(user: user, password: password)
}

extension HTTPAuthenticator {
    /// The value that answers a response; `nil` when it is delivered.
    mutating func value(for response: HTTPResponse, _ request: inout AuthenticatedRequest) throws -> String? {
        guard case .send(let field) = try self.respond(to: response, for: &request) else { return nil }
        #expect(field.name == self.target.credentialField)
        return field.value
    }

    /// Why a response is delivered; `nil` when it is answered.
    mutating func reason(for response: HTTPResponse, _ request: inout AuthenticatedRequest) throws -> DeliveryReason? {
        guard case .deliver(let reason) = try self.respond(to: response, for: &request) else { return nil }
        return reason
    }
}

/// A parameter of the answer.
func parameter(_ name: String, of value: String?) -> String? {
    let fields: HTTPFields = [.wwwAuthenticate: value ?? ""]
    return HTTPChallenge.challenges(in: fields, target: .server).first?[name]
}
