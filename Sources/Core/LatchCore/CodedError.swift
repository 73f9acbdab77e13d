// SPDX-License-Identifier: Apache-2.0

/// An error with a stable code, a sentence that says what happened, and one that says what to do.
///
/// Each module has one such struct. Its static members are both what is thrown and what is matched:
///
/// ```swift
/// do { try await session.credential() } catch AuthError.missingToken { show(.login) }
/// ```
///
/// Matching compares the code only, so that an error can carry context and still be caught by its static member.
/// No secret may be put into `message`, `hint` or the code.
public protocol CodedError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The stable, machine-readable name of what went wrong, such as `timeout`.
    var code: String { get }

    /// What happened, for a person.
    var message: String { get }

    /// What to do about it, for a person.
    var hint: String? { get }
}

extension CodedError {
    /// The message, and the hint where there is one on a line of its own; both are safe to print.
    public var description: String {
        guard let hint else { return message }
        return "\(message)\nhint: \(hint)"
    }

    /// Compares the codes, so that a test can expect a static member; the context is not compared.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Matches an error of the same type and code, whatever its context.
    public static func ~= (pattern: Self, error: any Error) -> Bool {
        (error as? Self)?.code == pattern.code
    }
}
