// SPDX-License-Identifier: Apache-2.0

extension IdentityError {
    /// The refresh token is not valid, or no longer (RFC 6749 §5.2, invalid_grant).
    public static let invalidGrant = IdentityError(
        code: "invalidGrant", message: "The session has ended.", hint: "Log in again.")

    /// The request needs a valid access token (RFC 6750 §3.1, invalid_token).
    public static let invalidToken = IdentityError(
        code: "invalidToken", message: "A valid access token is needed.", hint: "Log in, or renew the token.")

    /// The server does not know its own address yet.
    public static let notReady = IdentityError(
        code: "notReady", message: "The server is starting.", retryAfter: .seconds(1))

    /// The key does not work; not told to clients beyond "unavailable".
    static let signingFailed = IdentityError(code: "signingFailed", message: "The server cannot sign tokens.")
}
