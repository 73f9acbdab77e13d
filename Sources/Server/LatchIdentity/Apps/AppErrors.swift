// SPDX-License-Identifier: Apache-2.0

extension IdentityError {
    /// The app is not registered, or did not prove that it is the one it names (RFC 6749 §5.2, invalid_client).
    public static let unknownApp = IdentityError(
        code: "unknownApp", message: "The app is not registered here, or its secret is wrong.",
        hint: "Check client_id and client_secret.")

    /// The app may not use this grant (RFC 6749 §5.2, unauthorized_client).
    public static let grantNotAllowed = IdentityError(
        code: "grantNotAllowed", message: "The app may not use this grant.",
        hint: "The server's settings 'apps' and 'first_party_grants' say which grants an app has.")

    /// There is no such grant here (RFC 6749 §5.2, unsupported_grant_type).
    public static let unsupportedGrant = IdentityError(
        code: "unsupportedGrant", message: "This server knows no such grant_type.",
        hint: "/.well-known/oauth-authorization-server lists those it knows.")

    /// Nothing of the scope that was asked for can be granted, or more than was granted before (RFC 6749 §5.2,
    /// invalid_scope).
    public static let invalidScope = IdentityError(
        code: "invalidScope", message: "The scope is malformed, or more than the account and the app may have.",
        hint: "Ask for less; /.well-known/oauth-authorization-server lists what there is.")

    /// The access token does not carry what the route asks for (RFC 6750 §3.1, insufficient_scope).
    public static let insufficientScope = IdentityError(
        code: "insufficientScope", message: "The access token does not carry the scope that this needs.",
        hint: "Log in again and ask for the scope, where the account may have it.")

    /// A secret stands in the URL, where logs and histories keep it (RFC 6749 §2.3.1, RFC 6750 §2.3).
    public static let secretInURL = IdentityError.invalidInput(
        "a parameter of the content stands in the URL", hint: "Send everything in the content, nothing in the query.")
}
