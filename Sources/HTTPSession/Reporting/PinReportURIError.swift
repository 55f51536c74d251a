//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of report URIs that cannot be used, with a remedy.
public struct PinReportURIError: Error, Sendable, Hashable {
    /// The kind of an error, for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no URI.
        case none
        /// There are more than 16 URIs.
        case tooMany = "too-many"
        /// A URI has another scheme than `http` or `https`, contains credentials, or has no valid host or port.
        case invalid
    }

    /// The kind of the error.
    public let code: Code
    /// The URI as the caller passed it, or `nil` if the error concerns all URIs.
    public let uri: String?
    /// The position of the URI, from 1, or `nil` if the error concerns all URIs.
    public let position: Int?

    private let reason: String

    init(_ code: Code, uri: String? = nil, position: Int? = nil, reason: String = "") {
        self.code = code
        self.uri = uri
        self.position = position
        self.reason = reason
    }
}

extension PinReportURIError: CustomStringConvertible {
    /// The problem and its remedy, without the URI, which may contain a password.
    public var description: String {
        switch self.code {
        case .none: "there is no report URI. Give one such as https://reports.example.com/pins"
        case .tooMany: "there are more than \(PinReportPoster.maximumURIs) report URIs. Give fewer"
        case .invalid:
            "report URI \(self.position ?? 1): \(self.reason). Write it like https://reports.example.com/pins"
        }
    }
}
