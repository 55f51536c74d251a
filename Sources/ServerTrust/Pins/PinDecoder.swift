//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A decoder for the Base64 of pins as other software accepts it, beyond this package's own format.
///
/// All of them ignore the bits of the 43rd character that belong to no octet. They accept the common placeholder
/// `BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=` as a pin.
package enum PinDecoder: Sendable {
    /// The decoder of TrustKit, `NSData(base64Encoded:options:)` without options. The padding is required.
    case foundation
    /// Android's decoder, `android.util.Base64` with `DEFAULT`. The padding is optional, and white space is ignored.
    case android
    /// okio's `ByteString.decodeBase64` (-Base64.kt). Like Android's, and it also accepts the URL-safe alphabet.
    case okio
    /// The decoder of Apple's engine for `NSPinnedDomains`: ``AppleBase64``.
    case apple

    /// Decodes the pin of a key.
    ///
    /// - Parameter text: The Base64 without a prefix.
    /// - Returns: `nil` if the text does not decode, or not to a digest.
    package func pin(inBase64 text: String) -> Pin? {
        if self == .apple { return try? Pin(digest: AppleBase64(text).octets) }
        // No form of a digest is longer, except for white space.
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

    /// Decodes the characters, and clears the bits of the last one that belong to no octet.
    private static func digest(_ characters: ArraySlice<UInt8>) -> [UInt8]? {
        guard let last = characters.last, let value = Self.alphabet.firstIndex(of: last) else { return nil }
        var decoder = Base64Decoder(capacity: Pin.digestLength)
        let canonical = characters.dropLast() + [Self.alphabet[value & ~0b11], UInt8(ascii: "=")]
        return decoder.append(canonical) && decoder.finish() ? decoder.output : nil
    }

    /// The characters of Base64 for 32 octets, without the padding.
    private static let charactersOfDigest = 43
    /// The characters of the URL-safe alphabet (RFC 4648 §5) with their equivalents in the alphabet of §4.
    private static let standard = [UInt8(ascii: "-"): UInt8(ascii: "+"), UInt8(ascii: "_"): UInt8(ascii: "/")]
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
