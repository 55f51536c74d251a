//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The ASCII form of internationalized labels (RFC 3492 with the parameters of RFC 5890 §2.3.2.1).
package enum Punycode {
    private static let base: UInt32 = 36
    private static let minimumThreshold: UInt32 = 1
    private static let maximumThreshold: UInt32 = 26
    private static let skew: UInt32 = 38
    private static let damping: UInt32 = 700
    private static let initialBias: UInt32 = 72
    private static let firstCodePoint: UInt32 = 0x80
    /// The longest DNS label. The limit also keeps every number below from overflowing.
    private static let maximumScalars = 63

    /// Returns the A-label of a label: itself if it is ASCII, otherwise `xn--` and its encoding. `nil` if it is too long.
    package static func aLabel(of label: some StringProtocol) -> String? {
        guard label.utf8.contains(where: { $0 >= 0x80 }) else { return String(label) }
        return self.encode(label.unicodeScalars.map(\.value)).map { "xn--" + $0 }
    }

    /// Encodes a label without the prefix (RFC 3492 §6.3).
    static func encode(_ scalars: [UInt32]) -> String? {
        guard scalars.count <= self.maximumScalars else { return nil }
        let basic = scalars.filter { $0 < 0x80 }
        var output = basic.map { UInt8(truncatingIfNeeded: $0) }
        if !basic.isEmpty { output.append(UInt8(ascii: "-")) }
        var (next, delta, bias) = (self.firstCodePoint, UInt32(0), self.initialBias)
        var handled = UInt32(basic.count)
        while handled < scalars.count {
            guard let smallest = scalars.filter({ $0 >= next }).min() else { return nil }
            // At most 0x10FFFF times 64: no overflow.
            delta += (smallest - next) * (handled + 1)
            next = smallest
            for scalar in scalars {
                if scalar < next { delta += 1 }
                guard scalar == next else { continue }
                self.append(delta, bias: bias, to: &output)
                bias = self.adapt(delta, points: handled + 1, isFirst: handled == UInt32(basic.count))
                (delta, handled) = (0, handled + 1)
            }
            (delta, next) = (delta + 1, next + 1)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Writes a variable-length integer (RFC 3492 §3.3).
    private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var rest = delta
        var position = self.base
        while true {
            let threshold =
                position <= bias ? self.minimumThreshold : min(position - bias, self.maximumThreshold)
            guard rest >= threshold else { break }
            output.append(self.digit(threshold + (rest - threshold) % (self.base - threshold)))
            rest = (rest - threshold) / (self.base - threshold)
            position += self.base
        }
        output.append(self.digit(rest))
    }

    /// Returns a digit: `a` to `z` for 0 to 25, `0` to `9` for 26 to 35 (RFC 3492 §5).
    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    /// Returns the next bias (RFC 3492 §6.1).
    private static func adapt(_ delta: UInt32, points: UInt32, isFirst: Bool) -> UInt32 {
        var rest = isFirst ? delta / self.damping : delta / 2
        rest += rest / points
        var bias: UInt32 = 0
        while rest > (self.base - self.minimumThreshold) * self.maximumThreshold / 2 {
            rest /= self.base - self.minimumThreshold
            bias += self.base
        }
        return bias + (self.base - self.minimumThreshold + 1) * rest / (rest + self.skew)
    }
}
