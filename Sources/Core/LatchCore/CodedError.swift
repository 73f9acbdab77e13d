// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// An error with a stable code, a description of the failure and a suggested remedy.
///
/// Each module has one such struct. Its static members are both thrown and matched:
///
/// ```swift
/// do { _ = try await session.credential() } catch AuthError.missingToken { print("Sign in first.") }
/// ```
///
/// Matching compares only the code, so an error can carry context and still be caught by its static member. The code,
/// `message` and `hint` must not contain a secret.
public protocol CodedError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The stable, machine-readable name of the error, such as `timeout`.
    var code: String { get }

    /// The description of the failure.
    var message: String { get }

    /// The suggested remedy.
    var hint: String? { get }
}

extension CodedError {
    /// The message, and the hint, if any, on a separate line; both are safe to print.
    public var description: String {
        guard let hint else { return message }
        return "\(message)\nhint: \(hint)"
    }

    /// The message, which `localizedDescription` shows.
    public var errorDescription: String? { message }

    /// The hint.
    public var recoverySuggestion: String? { hint }

    // Foundation's defaults are visible only where Foundation is imported.

    /// Nil: the message has the reason.
    public var failureReason: String? { nil }

    /// Nil.
    public var helpAnchor: String? { nil }

    /// Compares only the codes, so that a test can expect a static member.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Matches an error of the same type and code, with any context.
    public static func ~= (pattern: Self, error: any Error) -> Bool {
        (error as? Self)?.code == pattern.code
    }
}

extension Error {
    /// The code of the error, or the name of its type, for a log that must not contain its text.
    package var codeOrType: String { (self as? any CodedError)?.code ?? "\(type(of: self))" }
}

/// An error that may carry the delay that a server requested, such as by `Retry-After` (RFC 9110 §10.2.3).
///
/// A session whose refresh fails with such an error waits at least that long before the next one, within limits.
public protocol RetryAfterError: Error {
    /// The delay from now on; nil if the server did not request one.
    var retryAfter: Duration? { get }
}

/// An error that tells the outcome of a request to an issuer.
package protocol IssuerError: Error {
    /// Whether the request may have arrived although no response has.
    var mayHaveArrived: Bool { get }

    /// Whether the issuer has rejected the request without using anything up.
    var isRejection: Bool { get }

    /// Whether the response ends the session, but may come from a gateway instead of the issuer.
    ///
    /// It ends a session only if it repeats after a pause. The refresh token is kept until then.
    var isDoubtfulEnd: Bool { get }
}

extension IssuerError {
    /// False: most errors are not an issuer's.
    package var isRejection: Bool { false }

    /// False: most errors do not end a session.
    package var isDoubtfulEnd: Bool { false }
}

/// An error that carries another one, which tells the outcome of a request.
package protocol WrappingError: Error {
    /// The wrapped error.
    var cause: any Error { get }
}
