//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A name that nothing has.
public struct UnknownNameError: Error, Hashable {
    /// The name that was asked for.
    public let name: String

    /// The names there are, in the order of their cases.
    public let known: [String]

    /// What the names are of, such as `fault`.
    private let kind: String

    init(_ name: String, kind: String, known: [String]) {
        self.name = name
        self.kind = kind
        self.known = known
    }
}

extension UnknownNameError: CustomStringConvertible {
    /// What was asked for, and the names to choose from.
    public var description: String {
        "no \(self.kind) is named \(self.name.debugDescription): use one of \(self.known.joined(separator: ", "))"
    }
}

/// Cases that are chosen by name.
protocol NamedCase: CaseIterable, RawRepresentable<String> {
    /// What the cases are, in the singular.
    static var kind: String { get }
}

extension NamedCase {
    /// The case of a name.
    static func find(_ name: String) throws(UnknownNameError) -> Self {
        guard let found = Self(rawValue: name) else {
            throw UnknownNameError(name, kind: Self.kind, known: Self.allCases.map(\.rawValue))
        }
        return found
    }
}
