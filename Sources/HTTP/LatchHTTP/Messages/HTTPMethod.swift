// SPDX-License-Identifier: Apache-2.0

/// A request method (RFC 9110 §9): `.get`, `.post`, or any token.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method as it stands on the request line; methods are case-sensitive.
    public let rawValue: String

    /// A method from its spelling on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A method from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The method as it stands on the request line.
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

    /// Whether repeating the request has the effect of making it once (RFC 9110 §9.2.2).
    ///
    /// A method that is not known here counts as one that is not: repeating it could do harm.
    public var isIdempotent: Bool {
        switch rawValue {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
        default: false
        }
    }
}
