//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Unicode.Scalar {
    /// `true` if XML allows the character (XML 1.0 §2.2).
    var isXMLCharacter: Bool {
        switch self.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...: true
        default: false
        }
    }

    /// `true` if a name may begin with the character (XML 1.0, fifth edition, §2.3).
    var beginsXMLName: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "_", ":": true
        case "\u{C0}"..."\u{2FF}": self != "\u{D7}" && self != "\u{F7}"
        case "\u{370}"..."\u{1FFF}": self != "\u{37E}"
        case "\u{200C}"..."\u{200D}", "\u{2070}"..."\u{218F}", "\u{2C00}"..."\u{2FEF}", "\u{3001}"..."\u{D7FF}": true
        case "\u{F900}"..."\u{FDCF}", "\u{FDF0}"..."\u{FFFD}", "\u{10000}"..."\u{EFFFF}": true
        default: false
        }
    }

    var continuesXMLName: Bool {
        switch self {
        case "0"..."9", "-", ".", "\u{B7}", "\u{300}"..."\u{36F}", "\u{203F}"..."\u{2040}": true
        default: self.beginsXMLName
        }
    }
}

extension UInt8 {
    /// `true` if a public identifier may have the character (XML 1.0 §2.3).
    var isInXMLPublicIdentifier: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x0A, 0x0D, 0x20: true
        default: "-'()+,./:=?;!*#@$_%".utf8.contains(self)
        }
    }
}
