//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PinningDialects

extension PinningDiagnostic.Code {
    /// The meaning of the code in one sentence.
    var sentence: String {
        switch self {
        case .malformedDocument: "The file with pins is not what its dialect is written in."
        case .nothingPinned: "The file has no pins of the dialect."
        case .wrongType: "A value is of another type than its key takes."
        case .missingValue: "A value that must be there is missing."
        case .invalidPin: "A text is not a pin."
        case .invalidDate: "A text is not a date."
        case .invalidHost: "A text is not a host."
        case .invalidValue: "A value is not one of those that its key takes."
        case .invalidCertificate: "A certificate cannot be read."
        case .duplicate: "The same hosts, or the same key, are there twice."
        case .inexpressible: "The dialect cannot say something, and without it more would be let through."
        case .undefinedKey: "A key is not one of those of the format servertrust.pins/1."
        case .unknownKey: "A key or element means nothing."
        case .emptyPins: "A host has pins that let no server through."
        case .singlePin: "A host has one pin alone, and is lost when its key is."
        case .fingerprintForm: "A pin of a key is written as fingerprints of certificates are."
        case .placeholderPin: "A pin stands for one to come, and matches no key."
        case .publicSuffix: "Pins are for a public suffix."
        case .expired: "The pins have ended."
        case .expiresSoon: "The pins end soon."
        case .leafOnly: "The pins are of the server's own key alone."
        case .announcedRotation: "A pin is of an intermediate that its authority replaces."
        case .unreliableHost: "No platform promises to look at pins of such a host."
        case .ignored: "Something is not acted on, or not written. No more is let through without it."
        case .obsolete: "A value is the default, or was needed by older releases alone."
        case .commentedPin: "A pin stands in a comment, and does not count."
        }
    }
}
