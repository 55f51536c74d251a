//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A cell that is wrong today.
///
/// A test fails once the cell is right. Its entry here is then deleted.
struct KnownDifference: Sendable {
    let row: String
    let doors: Set<Door>
    /// The answer of these doors today.
    let today: DoorAnswer
    /// The fault that is to be mended.
    let fault: String

    init(_ row: String, _ doors: Set<Door>, today: DoorAnswer, fault: String) {
        (self.row, self.doors, self.today, self.fault) = (row, doors, today, fault)
    }

    static func find(_ row: String, _ door: Door) -> KnownDifference? {
        Self.all.first { $0.row == row && $0.doors.contains(door) }
    }

    static let all: [KnownDifference] = Self.handshakes

    /// The doors that connect through the gate.
    private static let gated: Set<Door> = [.gate, .stream, .session, .proxy, .bootstrap]
    private static let got: Set<Door> = [.get, .getATS]

    // H5: one fault with four codes.
    private static let handshakes = [
        KnownDifference("tls10-only", [.check, .pin], today: .refused("tls-version-too-old"), fault: "H5"),
        KnownDifference("tls10-only", [.scan], today: .refused("tls-version"), fault: "H5"),
        KnownDifference(
            "tls10-only", Self.gated.union([.callback]), today: .refused("connection-failed"), fault: "H5"),
        KnownDifference("tls10-only", Self.got, today: .refused(nil), fault: "H5"),
    ]
}
