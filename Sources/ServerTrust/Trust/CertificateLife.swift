//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The validity of a certificate as seen at one moment: its length, and the part that is left.
///
/// ```swift
/// let life = CertificateLife(of: certificate, at: Timestamp(Date()))
/// print("\(life.percentLeft) % left")
/// ```
public struct CertificateLife: Sendable, Hashable {
    /// The beginning of the validity.
    public let notBefore: Timestamp
    /// The last moment of the validity.
    public let notAfter: Timestamp
    /// The moment of the comparison.
    public let date: Timestamp

    /// A validity as seen at a moment.
    public init(notBefore: Timestamp, notAfter: Timestamp, date: Timestamp) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.date = date
    }

    /// The validity of a certificate as seen at a moment.
    public init(of certificate: Certificate, at date: Timestamp) {
        self.init(notBefore: certificate.view.notBefore, notAfter: certificate.view.notAfter, date: date)
    }

    /// The length of the validity in seconds; 0 if it ends before it begins.
    public var seconds: Int64 {
        max(0, Self.seconds(from: self.notBefore, to: self.notAfter))
    }

    /// The seconds up to the end of the validity; negative after it.
    public var secondsLeft: Int64 { Self.seconds(from: self.date, to: self.notAfter) }

    /// True after the end of the validity.
    public var isOver: Bool { self.date > self.notAfter }

    /// True from the beginning of the validity on.
    public var hasBegun: Bool { self.date >= self.notBefore }

    /// The part of the life that is left, in whole percent from 0 to 100, rounded down.
    public var percentLeft: Int {
        guard self.seconds > 0, self.secondsLeft > 0 else { return 0 }
        return Int(min(100, Self.hundredfold(self.secondsLeft) / self.seconds))
    }

    /// Returns true if less than so many percent of the life are left.
    func isBelow(percent: Int) -> Bool {
        let limit = self.seconds.multipliedReportingOverflow(by: Int64(percent))
        return limit.overflow || Self.hundredfold(self.secondsLeft) < limit.partialValue
    }

    /// A moment of the caller's may be any, so that the difference must not trap.
    private static func seconds(from start: Timestamp, to end: Timestamp) -> Int64 {
        let difference = end.secondsSinceEpoch.subtractingReportingOverflow(start.secondsSinceEpoch)
        guard difference.overflow else { return difference.partialValue }
        return end > start ? .max : .min
    }

    private static func hundredfold(_ seconds: Int64) -> Int64 {
        let product = seconds.multipliedReportingOverflow(by: 100)
        guard product.overflow else { return product.partialValue }
        return seconds > 0 ? .max : .min
    }
}
