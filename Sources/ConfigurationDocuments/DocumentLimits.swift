//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of the documents that are read.
package struct DocumentLimits: Sendable, Hashable {
    package var maximumSize: Int
    /// The maximum nesting of collections or elements, including the outermost.
    package var maximumDepth: Int
    /// The maximum number of values, elements and attributes together.
    package var maximumNodes: Int

    /// Creates limits far above any document written by hand: 4 MiB, 64 levels, half a million nodes.
    package init(maximumSize: Int = 4 << 20, maximumDepth: Int = 64, maximumNodes: Int = 500_000) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
        self.maximumNodes = maximumNodes
    }
}

/// The remainder of a document's limits while its tree is built.
struct DocumentBudget {
    let limits: DocumentLimits
    private var nodes = 0

    init(_ limits: DocumentLimits) {
        self.limits = limits
    }

    mutating func spend(depth: Int, at position: TextPosition?) throws(DocumentError) {
        self.nodes += 1
        guard self.nodes <= self.limits.maximumNodes else {
            throw DocumentError(.tooManyNodes(limit: self.limits.maximumNodes), position)
        }
        guard depth <= self.limits.maximumDepth else {
            throw DocumentError(.tooDeep(limit: self.limits.maximumDepth), position)
        }
    }

    /// Returns `true` if the limit allows this many more nodes. Check it before reserving memory for them.
    func allows(_ count: Int) -> Bool {
        count <= self.limits.maximumNodes - self.nodes
    }
}
