//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// A file that was named for evaluations, and what of the evidence is from it.
package struct InputFile: Sendable {
    /// The option and the path, as they were written.
    package let name: String
    private let kind: TrustEvidence.Kind
    /// The places of what is from the file among the things of its kind.
    private let positions: Range<Int>
    /// What else is in it and was passed over; `nil` where nothing is.
    package let besides: String?

    /// A file.
    ///
    /// - Parameters:
    ///   - option: The option that names it.
    ///   - path: Its path.
    ///   - kind: What is in it.
    ///   - positions: The places of what is from it among the things of its kind.
    ///   - besides: What else is in it and was passed over; `nil` where nothing is.
    package init(
        _ option: String, _ path: String, kind: TrustEvidence.Kind, positions: Range<Int>, besides: String? = nil
    ) {
        self.name = "\(option) \(path)"
        self.kind = kind
        self.positions = positions
        self.besides = besides
    }

    /// What became of a file.
    package struct Told: Sendable {
        /// The option and the path.
        package let name: String
        /// Whether something of it had a part in the answer.
        package let isUsed: Bool
        /// What became of it, as a clause.
        package let outcome: String
    }

    /// What became of the file in one evaluation.
    package func told(by evidence: TrustEvidence) -> Told {
        let items = evidence.items(of: self.kind).filter { self.positions.contains($0.position) }
        let besides = self.besides.map { "; \($0) in it was passed over" } ?? ""
        return Told(
            name: self.name, isUsed: items.contains(where: \.isUsed), outcome: Self.outcome(of: items) + besides)
    }

    /// The most outcomes that are told of one file.
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

/// A file that was named, and what became of it.
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

/// One thing that was given, and what became of it.
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
