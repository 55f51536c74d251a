//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// A file named for an evaluation, with the part of the evidence that it contains.
package struct InputFile: Sendable {
    /// The option and the path as written on the command line.
    package let name: String
    private let kind: TrustEvidence.Kind
    /// The positions of the file's contents among all evidence of its kind.
    private let positions: Range<Int>
    /// The ignored contents of the file, or `nil` if nothing was ignored.
    package let besides: String?

    /// Creates an input file.
    ///
    /// - Parameters:
    ///   - option: The option that names the file.
    ///   - path: The path of the file.
    ///   - kind: The kind of evidence in the file.
    ///   - positions: The positions of the file's contents among all evidence of its kind.
    ///   - besides: The ignored contents of the file, or `nil` if nothing was ignored.
    package init(
        _ option: String, _ path: String, kind: TrustEvidence.Kind, positions: Range<Int>, besides: String? = nil
    ) {
        self.name = "\(option) \(path)"
        self.kind = kind
        self.positions = positions
        self.besides = besides
    }

    /// The use of a file in one evaluation.
    package struct Told: Sendable {
        package let name: String
        /// `true` if a part of the file contributed to the verdict.
        package let isUsed: Bool
        /// The use of the file, as a clause.
        package let outcome: String
    }

    package func told(by evidence: TrustEvidence) -> Told {
        let items = evidence.items(of: self.kind).filter { self.positions.contains($0.position) }
        let besides = self.besides.map { "; \($0) in it was passed over" } ?? ""
        return Told(
            name: self.name, isUsed: items.contains(where: \.isUsed), outcome: Self.outcome(of: items) + besides)
    }

    /// The most outcomes that are listed for one file.
    private static let shownOutcomes = 4

    private static func outcome(of items: [TrustEvidence.Item]) -> String {
        guard items.count > 1 else { return items.first?.message ?? "not needed: nothing was evaluated" }
        var counts: [(message: String, count: Int)] = []
        for item in items {
            if let index = counts.firstIndex(where: { $0.message == item.message }) {
                counts[index].count += 1
            } else {
                counts.append((item.message, 1))
            }
        }
        let parts = counts.prefix(Self.shownOutcomes).map {
            counts.count == 1 ? $0.message : "\($0.count) \($0.message)"
        }
        return parts.joined(separator: "; ") + (counts.count > Self.shownOutcomes ? "; …" : "")
    }
}

/// A named file and its use, in JSON.
struct JSONGivenFile: Encodable {
    private let name: String
    private let isUsed: Bool
    private let outcome: String

    init(_ file: InputFile.Told) {
        self.name = DisplayText.text(file.name)
        self.isUsed = file.isUsed
        self.outcome = DisplayText.text(file.outcome)
    }
}

/// A piece of evidence and its use, in JSON.
struct JSONEvidence: Encodable {
    private let kind: String
    private let position: Int
    private let name: String
    private let use: String
    private let reason: String?
    private let message: String

    init(_ item: TrustEvidence.Item) {
        self.kind = item.kind.rawValue
        self.position = item.position
        self.name = DisplayText.text(item.name)
        self.use = item.code
        self.reason = item.reasonCode
        self.message = DisplayText.text(item.message)
    }
}
