//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How others decode the Base64 of pins: what they take and this package's own spelling does not.
///
/// All of them ignore the bits of the 43rd character that belong to no octet, so that the placeholder people write,
/// `BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=`, is a pin to them.
package enum PinDecoder: Sendable {
    /// `NSData(base64Encoded:options:)` without options, which TrustKit uses: the padding must be there.
    case foundation
    /// `android.util.Base64` with `DEFAULT`: the padding may be missing, and white space may be anywhere.
    case android
    /// okio's `ByteString.decodeBase64`: the same, and the alphabet of URLs too (-Base64.kt).
    case okio
    /// Apple's engine, which `NSPinnedDomains` is read with: ``AppleBase64``.
    case apple

    /// The pin of a key.
    ///
    /// - Parameter text: The Base64 alone.
    /// - Returns: `nil` when it is decoded to something else than a digest, or not at all.
    package func pin(inBase64 text: String) -> Pin? {
        if self == .apple { return try? Pin(digest: AppleBase64(text).octets) }
        // No spelling of a digest is longer, but for white space.
        guard text.utf8.count <= 256 else { return nil }
        var characters = Array(text.utf8)
        if self != .foundation { characters.removeAll { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
        if self == .okio { characters = characters.map { Self.standard[$0] ?? $0 } }
        let count = Self.charactersOfDigest
        let padding = characters.dropFirst(count)
        guard characters.count >= count, padding == [UInt8(ascii: "=")] || (padding.isEmpty && self != .foundation)
        else { return nil }
        return Self.digest(characters[..<count]).flatMap { try? Pin(digest: $0) }
    }

    /// Decodes the characters, the last one without the bits that belong to no octet.
    private static func digest(_ characters: ArraySlice<UInt8>) -> [UInt8]? {
        guard let last = characters.last, let value = Self.alphabet.firstIndex(of: last) else { return nil }
        var decoder = Base64Decoder(capacity: Pin.digestLength)
        let canonical = characters.dropLast() + [Self.alphabet[value & ~0b11], UInt8(ascii: "=")]
        return decoder.append(canonical) && decoder.finish() ? decoder.output : nil
    }

    /// Characters of Base64 for 32 octets, without the padding.
    private static let charactersOfDigest = 43
    /// RFC 4648 §5's characters in the alphabet of §4.
    private static let standard = [UInt8(ascii: "-"): UInt8(ascii: "+"), UInt8(ascii: "_"): UInt8(ascii: "/")]
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
