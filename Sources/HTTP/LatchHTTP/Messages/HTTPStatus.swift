// SPDX-License-Identifier: Apache-2.0

/// A response status code (RFC 9110 §15).
public struct HTTPStatus: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The three-digit code.
    public let rawValue: Int

    /// Creates a status from any number; invalid numbers are not corrected, since they come from the peer.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Creates a status from a literal.
    public init(integerLiteral value: Int) { rawValue = value }

    /// The three digits.
    public var description: String { String(rawValue) }

    /// Whether the request was received, understood and accepted (RFC 9110 §15.3).
    public var isSuccess: Bool { (200..<300).contains(rawValue) }

    /// Whether further action is needed to complete the request (RFC 9110 §15.4).
    public var isRedirection: Bool { (300..<400).contains(rawValue) }

    /// Whether the request was rejected as erroneous (RFC 9110 §15.5).
    public var isClientError: Bool { (400..<500).contains(rawValue) }

    /// Whether the server failed to fulfill a valid request (RFC 9110 §15.6).
    public var isServerError: Bool { (500..<600).contains(rawValue) }

    /// 200, RFC 9110 §15.3.
    public static let ok: HTTPStatus = 200
    /// 201, RFC 9110 §15.3.
    public static let created: HTTPStatus = 201
    /// 204, RFC 9110 §15.3.
    public static let noContent: HTTPStatus = 204
    /// 303, RFC 9110 §15.4.
    package static let seeOther: HTTPStatus = 303
    /// 400, RFC 9110 §15.5.
    public static let badRequest: HTTPStatus = 400
    /// 401, RFC 9110 §15.5.
    public static let unauthorized: HTTPStatus = 401
    /// 403, RFC 9110 §15.5.
    public static let forbidden: HTTPStatus = 403
    /// 404, RFC 9110 §15.5.
    public static let notFound: HTTPStatus = 404
    /// 405, RFC 9110 §15.5.
    package static let methodNotAllowed: HTTPStatus = 405
    /// 409, RFC 9110 §15.5.
    public static let conflict: HTTPStatus = 409
    /// 413, RFC 9110 §15.5.
    package static let contentTooLarge: HTTPStatus = 413
    /// 415, RFC 9110 §15.5.
    package static let unsupportedMediaType: HTTPStatus = 415
    /// 429, RFC 6585 §4.
    public static let tooManyRequests: HTTPStatus = 429
    /// 500, RFC 9110 §15.6.
    public static let internalServerError: HTTPStatus = 500
    /// 503, RFC 9110 §15.6.
    public static let serviceUnavailable: HTTPStatus = 503
}
