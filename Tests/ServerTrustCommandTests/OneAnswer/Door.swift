//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A way to have a server or a chain judged: a command, or an entry of the libraries.
enum Door: String, CaseIterable, Sendable {
    case evaluate, check, checkATS, checkPins, suggest, diagnose, confirm, profile, scan, pin, get, getATS, proxy
    case gate, callback, stream, session
    /// The shortest programs, as the snippet has them: the third is `session`.
    case trust, bootstrap

    /// The questions that the door answers.
    var questions: Set<DoorQuestion> {
        switch self {
        case .diagnose, .confirm, .scan: [.trust, .connect]
        case .checkATS, .suggest, .getATS: [.connect]
        case .evaluate, .check, .checkPins, .profile, .pin, .get, .proxy, .gate, .callback, .stream, .session, .trust,
            .bootstrap:
            [.trust]
        }
    }

    /// Whether the door takes pins.
    var takesPins: Bool {
        switch self {
        case .evaluate, .checkPins, .scan, .get, .proxy, .gate, .callback, .stream, .session, .bootstrap: true
        case .check, .checkATS, .suggest, .diagnose, .confirm, .profile, .pin, .getATS, .trust: false
        }
    }

    /// Whether the door connects. The others read the chain from a file, and see no handshake.
    var connects: Bool { self != .evaluate && self != .trust }
}

/// A question that a group of doors gives one answer to.
enum DoorQuestion: String, CaseIterable, Sendable {
    /// May this peer be trusted?
    case trust
    /// Would an Apple system connect?
    case connect
}
