// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension IdentityError {
    /// The address and the password do not belong together, or the account may not log in; nobody is told which.
    public static let invalidCredentials = IdentityError(
        code: "invalidCredentials", message: "The e-mail address or the password is wrong.",
        hint: "Check both, or reset the password.")

    /// Too many wrong passwords in a short time.
    public static let tooManyAttempts = IdentityError(
        code: "tooManyAttempts", message: "There were too many attempts.", hint: "Wait before you try again.",
        retryAfter: .seconds(60))

    /// The account may not do this.
    public static let forbidden = IdentityError(
        code: "forbidden", message: "This account may not do that.", hint: "Ask an administrator.")

    /// With the limit that was met, and how long it takes until the next attempt counts.
    static func tooManyAttempts(_ refusal: AttemptLimiter.Refusal) -> IdentityError {
        IdentityError(
            code: tooManyAttempts.code, message: tooManyAttempts.message, hint: tooManyAttempts.hint,
            retryAfter: .milliseconds(Int64(refusal.retryAfter * 1000)), limit: refusal.limit)
    }
}
