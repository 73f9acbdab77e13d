// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// What goes wrong in the auth server: in its store, its configuration, or with what was asked of it.
public struct IdentityError: CodedError {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// After how long the same request may be tried again, where that is known.
    public let retryAfter: Duration?
    /// The limit that was reached, for the RateLimit fields of the answer.
    let limit: AttemptLimiter.Limit?

    /// An error with its context.
    public init(code: String, message: String, hint: String? = nil, retryAfter: Duration? = nil) {
        self.init(code: code, message: message, hint: hint, retryAfter: retryAfter, limit: nil)
    }

    /// The same with the limit that was reached.
    ///
    /// It has no default values, so that the public initialiser is the shorter one.
    init(code: String, message: String, hint: String?, retryAfter: Duration?, limit: AttemptLimiter.Limit?) {
        self.code = code
        self.message = message
        self.hint = hint
        self.retryAfter = retryAfter
        self.limit = limit
    }
}
