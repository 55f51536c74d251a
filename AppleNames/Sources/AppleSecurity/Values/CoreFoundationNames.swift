//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// A text.
public typealias CFString = String
/// Octets.
public typealias CFData = Data
/// A list of anything.
public typealias CFArray = [Any]
/// A list of anything by name.
public typealias CFDictionary = [String: Any]
/// A moment.
public typealias CFDate = Date
/// A number.
public typealias CFNumber = NSNumber
/// Yes or no.
public typealias CFBoolean = Bool
/// An error.
public typealias CFError = NSError
/// Anything.
public typealias CFTypeRef = Any
/// An allocator of memory on Apple's systems. Ignored here.
public typealias CFAllocator = AnyObject
/// Bits.
public typealias CFOptionFlags = UInt
/// A place or a count.
public typealias CFIndex = Int
/// The number of a type.
public typealias CFTypeID = UInt
/// Seconds since the beginning of 2001.
public typealias CFAbsoluteTime = Double
/// Zero, or the number of an error.
public typealias OSStatus = Int32

/// The allocator that every function takes.
public var kCFAllocatorDefault: CFAllocator? { nil }
/// True.
public let kCFBooleanTrue: CFBoolean = true
/// False.
public let kCFBooleanFalse: CFBoolean = false

/// Seconds between 1970 and 2001.
public let kCFAbsoluteTimeIntervalSince1970: Double = 978_307_200

/// The present.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// The code of an error.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }

/// The domain of an error.
public func CFErrorGetDomain(_ error: CFError) -> CFString { error.domain }

/// Returns the description of an error.
public func CFErrorCopyDescription(_ error: CFError) -> CFString { error.localizedDescription }

/// Everything that an error says.
public func CFErrorCopyUserInfo(_ error: CFError) -> CFDictionary { error.userInfo }

/// The number of elements.
public func CFArrayGetCount(_ array: CFArray) -> CFIndex { array.count }

/// Tells whether two values are of the same type and equal.
///
/// - Returns: `false` for values that cannot be compared.
public func CFEqual(_ first: CFTypeRef, _ second: CFTypeRef) -> Bool {
    guard let first = first as? AnyHashable, let second = second as? AnyHashable else { return false }
    return first == second
}

/// The number of a value's type; 0 for types that have none.
public func CFGetTypeID(_ value: CFTypeRef) -> CFTypeID {
    switch value {
    case is SecCertificate: SecCertificateGetTypeID()
    case is SecKey: SecKeyGetTypeID()
    case is SecPolicy: SecPolicyGetTypeID()
    case is SecTrust: SecTrustGetTypeID()
    case is String: CFStringGetTypeID()
    case is Data: CFDataGetTypeID()
    case is [Any]: CFArrayGetTypeID()
    case is [String: Any]: CFDictionaryGetTypeID()
    case is Date: CFDateGetTypeID()
    default: 0
    }
}

/// The number of the type of texts.
public func CFStringGetTypeID() -> CFTypeID { 7 }
/// The number of the type of dictionaries.
public func CFDictionaryGetTypeID() -> CFTypeID { 18 }
/// The number of the type of arrays.
public func CFArrayGetTypeID() -> CFTypeID { 19 }
/// The number of the type of octets.
public func CFDataGetTypeID() -> CFTypeID { 20 }
/// The number of the type of moments.
public func CFDateGetTypeID() -> CFTypeID { 42 }
/// The number of the type of certificates.
public func SecCertificateGetTypeID() -> CFTypeID { 301 }
/// The number of the type of keys.
public func SecKeyGetTypeID() -> CFTypeID { 302 }
/// The number of the type of policies.
public func SecPolicyGetTypeID() -> CFTypeID { 303 }
/// The number of the type of trust objects.
public func SecTrustGetTypeID() -> CFTypeID { 304 }
