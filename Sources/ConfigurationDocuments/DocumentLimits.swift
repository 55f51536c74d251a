//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How much of a document is read before it is refused.
package struct DocumentLimits: Sendable, Hashable {
    /// The most bytes of a document.
    package var maximumSize: Int
    /// The most collections or elements within each other, the outermost included.
    package var maximumDepth: Int
    /// The most values, elements and attributes together.
    package var maximumNodes: Int

    /// Limits far above what anyone writes by hand: 4 MiB, 64 levels, half a million nodes.
    package init(maximumSize: Int = 4 << 20, maximumDepth: Int = 64, maximumNodes: Int = 500_000) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
        self.maximumNodes = maximumNodes
    }
}

/// What is left of a document's limits while its tree is built.
struct DocumentBudget {
    let limits: DocumentLimits
    private var nodes = 0

    init(_ limits: DocumentLimits) {
        self.limits = limits
    }

    /// Counts one more node.
    mutating func spend(depth: Int, at position: TextPosition?) throws(DocumentError) {
        self.nodes += 1
        guard self.nodes <= self.limits.maximumNodes else {
            throw DocumentError(.tooManyNodes(limit: self.limits.maximumNodes), position)
        }
        guard depth <= self.limits.maximumDepth else {
            throw DocumentError(.tooDeep(limit: self.limits.maximumDepth), position)
        }
    }

    /// Whether so many more nodes may come, asked before memory is reserved for them.
    func allows(_ count: Int) -> Bool {
        count <= self.limits.maximumNodes - self.nodes
    }
}
