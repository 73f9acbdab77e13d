// SPDX-License-Identifier: Apache-2.0

/// A request method (RFC 9110 §9): `.get`, `.post`, or any token.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method as it is sent; methods are case-sensitive.
    public let rawValue: String

    /// Creates a method from its spelling.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a method from the bytes of a token.
    package init(token bytes: UnsafeBufferPointer<UInt8>) {
        rawValue = bytes.spells("GET") ? "GET" : String(decoding: bytes, as: UTF8.self)
    }

    /// Creates a method from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The method as it is sent.
    public var description: String { rawValue }

    /// RFC 9110 §9.3.1.
    public static let get = HTTPMethod(rawValue: "GET")
    /// RFC 9110 §9.3.2.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// RFC 9110 §9.3.3.
    public static let post = HTTPMethod(rawValue: "POST")
    /// RFC 9110 §9.3.4.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// RFC 9110 §9.3.5.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// RFC 5789.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// RFC 9110 §9.3.7.
    public static let options = HTTPMethod(rawValue: "OPTIONS")

    /// Whether the method only reads (RFC 9110 §9.2.1).
    package var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(rawValue) }

    /// Whether the method is idempotent (RFC 9110 §9.2.2).
    ///
    /// Unknown methods count as not idempotent: repeating them could do harm.
    public var isIdempotent: Bool {
        switch rawValue {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}
