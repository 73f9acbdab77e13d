// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Core Foundation as Swift imports it: its types are classes, which `as` converts from and to Swift's own. Without
// Objective-C there is no such conversion, so a staged source has the operator `~~>` where it says `as`; see sources.py.
// Source: https://developer.apple.com/documentation/corefoundation.
public import FoundationEssentials

private func stub() -> Never { fatalError() }

infix operator ~~> : CastingPrecedence

/// The root of the classes, whose values are keys of dictionaries: `_CFObject`.
open class _CFObject: Hashable {
    public static func == (left: _CFObject, right: _CFObject) -> Bool { stub() }
    public func hash(into hasher: inout Hasher) { stub() }
}

public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias CFIndex = Int
public typealias OSStatus = Int32
public final class CFAllocator: _CFObject {}
public final class CFString: _CFObject {}
public final class CFData: _CFObject {}
public final class CFArray: _CFObject {}
public final class CFDictionary: _CFObject {}
public final class CFBoolean: _CFObject, @unchecked Sendable {}
public final class CFNumber: _CFObject {}
public final class CFDate: _CFObject {}
public final class CFError: _CFObject, Error, @unchecked Sendable {}
public var kCFAllocatorDefault: CFAllocator! { stub() }
public var kCFBooleanTrue: CFBoolean! { stub() }
public var kCFBooleanFalse: CFBoolean! { stub() }
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { stub() }
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool { stub() }
public func CFErrorGetCode(_ err: CFError!) -> CFIndex { stub() }
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! { stub() }

// What `as` converts.
public func ~~> (value: String, type: CFString.Type) -> CFString { stub() }
public func ~~> (value: Data, type: CFData.Type) -> CFData { stub() }
public func ~~> <Key: Hashable, Value>(value: [Key: Value], type: CFDictionary.Type) -> CFDictionary { stub() }
public func ~~> <Element>(value: [Element], type: CFArray.Type) -> CFArray { stub() }
public func ~~> (value: Bool, type: CFBoolean.Type) -> CFBoolean { stub() }
public func ~~> (value: Int, type: CFNumber.Type) -> CFNumber { stub() }
public func ~~> (value: any Error, type: CFError.Type) -> CFError { stub() }
public func ~~> (value: CFString, type: String.Type) -> String { stub() }
public func ~~> (value: CFData, type: Data.Type) -> Data { stub() }
public func ~~> (value: CFString?, type: String?.Type) -> String? { stub() }
public func ~~> (value: CFData?, type: Data?.Type) -> Data? { stub() }
public func ~~> (value: CFError, type: (any Error).Type) -> any Error { stub() }
public func ~~> <Value>(value: Value, type: Value.Type) -> Value { stub() }
