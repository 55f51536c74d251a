//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why reports cannot be posted to URIs, and what to write instead.
public struct PinReportURIError: Error, Sendable, Hashable {
    /// Why, for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no URI.
        case none
        /// There are more than 16.
        case tooMany = "too-many"
        /// A URI is not one of `http` or `https`, has credentials, or no host or port that can be.
        case invalid
    }

    /// Why.
    public let code: Code
    /// The URI, as it was given; `nil` when it is about all of them.
    public let uri: String?
    /// The place of the URI among those given, from 1; `nil` when it is about all of them.
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
    /// What is wrong and what to write instead. Without the URI, which may have a password in it.
    public var description: String {
        switch self.code {
        case .none: "there is no report URI. Give one such as https://reports.example.com/pins"
        case .tooMany: "there are more than \(PinReportPoster.maximumURIs) report URIs. Give fewer"
        case .invalid:
            "report URI \(self.position ?? 1): \(self.reason). Write it like https://reports.example.com/pins"
        }
    }
}
