// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchCore

/// What a token says about its subject (RFC 7519 §4): any JSON, read by name and type.
///
/// A claim that is missing or has another type than asked for is nil, never an error and never a guess.
public struct Claims: Sendable, Hashable {
    /// All claims, as they were written.
    ///
    /// Their order is kept, also when they are signed again.
    public var members: JSONObject

    /// Claims of an object.
    public init(_ members: JSONObject = [:]) { self.members = members }

    /// A claim of any type; nil removes it.
    public subscript(name: String) -> JSONValue? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// A claim that is a string.
    public func string(_ name: String) -> String? { members[name]?.stringValue }

    /// A claim that is a boolean.
    public func bool(_ name: String) -> Bool? { members[name]?.boolValue }

    /// A claim that is a whole number.
    ///
    /// A number with a fraction is none, and is not rounded.
    public func int(_ name: String) -> Int? { members[name]?.intValue }

    /// A claim that is a number.
    public func double(_ name: String) -> Double? { members[name]?.doubleValue }

    /// A claim that is a date: seconds since 1970 as a number, with a fraction or not (RFC 7519 §2, NumericDate).
    public func date(_ name: String) -> Date? {
        members[name]?.doubleValue.map { Date(timeIntervalSince1970: $0) }
    }

    /// A claim that is an array of strings only, such as roles.
    public func strings(_ name: String) -> [String]? {
        guard let elements = members[name]?.arrayValue else { return nil }
        let strings = elements.compactMap(\.stringValue)
        return strings.count == elements.count ? strings : nil
    }
}

extension Claims: ExpressibleByDictionaryLiteral {
    /// Claims of a literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = JSONObject(elements.map { (key: $0.0, value: $0.1) })
    }
}

extension Claims: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; what they say may be personal and is not printed.
    public var description: String { "Claims(\(members.keys.joined(separator: ", ")))" }

    /// A mirror of the names, so that `dump` prints no more.
    public var customMirror: Mirror { Mirror(self, children: ["names": members.keys]) }
}
