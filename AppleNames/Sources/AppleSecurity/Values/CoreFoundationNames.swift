//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// A string.
public typealias CFString = String
/// A sequence of bytes.
public typealias CFData = Data
/// An array of any values.
public typealias CFArray = [Any]
/// A dictionary with string keys.
public typealias CFDictionary = [String: Any]
/// A date.
public typealias CFDate = Date
/// A number.
public typealias CFNumber = NSNumber
/// A Boolean value.
public typealias CFBoolean = Bool
/// An error.
public typealias CFError = NSError
/// A value of any type.
public typealias CFTypeRef = Any
/// A memory allocator on Apple's systems. It is ignored here.
public typealias CFAllocator = AnyObject
/// A set of flags.
public typealias CFOptionFlags = UInt
/// An index or a count.
public typealias CFIndex = Int
/// The identifier of a type.
public typealias CFTypeID = UInt
/// Seconds since the start of 2001.
public typealias CFAbsoluteTime = Double
/// Zero, or the number of an error.
public typealias OSStatus = Int32

/// The default allocator, which every function accepts.
public var kCFAllocatorDefault: CFAllocator? { nil }
/// The value `true`.
public let kCFBooleanTrue: CFBoolean = true
/// The value `false`.
public let kCFBooleanFalse: CFBoolean = false

/// The seconds between the starts of 1970 and 2001.
public let kCFAbsoluteTimeIntervalSince1970: Double = 978_307_200

/// Returns the current time.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// Returns the code of an error.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }

/// Returns the domain of an error.
public func CFErrorGetDomain(_ error: CFError) -> CFString { error.domain }

/// Returns the description of an error.
public func CFErrorCopyDescription(_ error: CFError) -> CFString { error.localizedDescription }

/// Returns the user info dictionary of an error.
public func CFErrorCopyUserInfo(_ error: CFError) -> CFDictionary { error.userInfo }

/// Returns the number of elements.
public func CFArrayGetCount(_ array: CFArray) -> CFIndex { array.count }

/// Returns `true` if two values have the same type and are equal.
///
/// - Returns: `false` for values that cannot be compared.
public func CFEqual(_ first: CFTypeRef, _ second: CFTypeRef) -> Bool {
    guard let first = first as? AnyHashable, let second = second as? AnyHashable else { return false }
    return first == second
}

/// Returns the type identifier of a value, or 0 for a type without an identifier.
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

/// Returns the type identifier of strings.
public func CFStringGetTypeID() -> CFTypeID { 7 }
/// Returns the type identifier of dictionaries.
public func CFDictionaryGetTypeID() -> CFTypeID { 18 }
/// Returns the type identifier of arrays.
public func CFArrayGetTypeID() -> CFTypeID { 19 }
/// Returns the type identifier of data.
public func CFDataGetTypeID() -> CFTypeID { 20 }
/// Returns the type identifier of dates.
public func CFDateGetTypeID() -> CFTypeID { 42 }
/// Returns the type identifier of certificates.
public func SecCertificateGetTypeID() -> CFTypeID { 301 }
/// Returns the type identifier of keys.
public func SecKeyGetTypeID() -> CFTypeID { 302 }
/// Returns the type identifier of policies.
public func SecPolicyGetTypeID() -> CFTypeID { 303 }
/// Returns the type identifier of trust objects.
public func SecTrustGetTypeID() -> CFTypeID { 304 }
