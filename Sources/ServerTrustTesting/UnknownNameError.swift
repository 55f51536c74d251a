//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The error for a name that no case has.
public struct UnknownNameError: Error, Hashable {
    /// The requested name.
    public let name: String

    /// The known names, in the order of their cases.
    public let known: [String]

    /// The noun for the named cases, such as `fault`.
    private let kind: String

    init(_ name: String, kind: String, known: [String]) {
        self.name = name
        self.kind = kind
        self.known = known
    }
}

extension UnknownNameError: CustomStringConvertible {
    /// The requested name and the names to choose from.
    public var description: String {
        "no \(self.kind) is named \(self.name.debugDescription): use one of \(self.known.joined(separator: ", "))"
    }
}

/// An enumeration with cases that are chosen by name.
protocol NamedCase: CaseIterable, RawRepresentable<String> {
    /// The noun for the cases, in the singular.
    static var kind: String { get }
}

extension NamedCase {
    static func find(_ name: String) throws(UnknownNameError) -> Self {
        guard let found = Self(rawValue: name) else {
            throw UnknownNameError(name, kind: Self.kind, known: Self.allCases.map(\.rawValue))
        }
        return found
    }
}
