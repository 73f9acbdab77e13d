// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC

/// Errors of sign-ins through other providers; `ClientForm.oauth` is the `error` in the URL of the app.
extension IdentityError {
    /// Returns the error of a request that cannot begin a sign-in.
    package static func invalidSignIn(_ problem: String) -> IdentityError {
        IdentityError(
            code: "invalidSignIn", message: "The sign-in request is invalid: \(problem).",
            hint: "This is a mistake of the app that opened the page, or of this server's configuration.",
            form: .badRequest, detail: problem)
    }

    /// The attempt was completed before, is too old, or began in another browser.
    package static let signInEnded = IdentityError(
        code: "signInEnded", message: "This sign-in has ended",
        hint:
            "It was finished before, took longer than ten minutes, or began in another browser. Start over in the app.",
        form: ClientForm(status: .badRequest, oauth: "invalid_request", rpc: .failedPrecondition))

    /// The configuration has no such provider.
    package static let noSuchProvider = IdentityError(
        code: "noSuchProvider", message: "There is no such identity provider.",
        hint: "Providers are in the server's configuration.", form: .notFound)

    package static let upstreamDenied = IdentityError(
        code: "upstreamDenied", message: "The sign-in was canceled", hint: "Start over in the app.",
        form: .forbidden)

    /// The provider cannot be reached, or fails.
    package static let upstreamUnavailable = IdentityError(
        code: "upstreamUnavailable", message: "The provider is not responding",
        hint: "Try again in a few minutes, or sign in another way.", retryAfter: .seconds(30),
        form: .temporarilyUnavailable)

    /// The provider's response is not valid.
    package static let upstreamFailed = IdentityError(
        code: "upstreamFailed", message: "The sign-in did not succeed",
        hint:
            "The provider's response is not valid. Start over in the app. If it happens again, tell its operator.",
        form: ClientForm(status: HTTPStatus(rawValue: 502), oauth: "server_error", rpc: .unavailable))

    /// The provider has not asked the user, who must authenticate again.
    package static let upstreamNotRecent = {
        var error = upstreamFailed.with(
            message: "The provider did not ask you to sign in",
            hint: "Sign out there, or sign in another way, and start over in the app.")
        error.pageKey = "upstreamNotRecent"
        return error
    }()

    /// The provider's metadata names a URL that this server does not request.
    package static let upstreamMisconfigured = upstreamFailed.with(
        message: "The provider names an address that this server must not request")

    /// The user belongs to none of the allowed tenants.
    package static let tenantNotAllowed = IdentityError(
        code: "tenantNotAllowed", message: "Accounts of this organization cannot sign in here",
        hint: "Choose another account, or ask the app's operator.",
        form: ClientForm(status: .forbidden, oauth: "tenant_not_allowed", rpc: .permissionDenied))

    /// Another account has the address.
    ///
    /// The user is neither signed in to that account nor linked to it: the provider may not know who owns the address
    /// (attack I2).
    package static func accountExists(at provider: String) -> IdentityError {
        IdentityError(
            code: "accountExists", message: "You already have an account",
            hint: """
                An account with the email address of your \(provider) account already exists. Sign in to it as before, \
                then link \(provider) in the app's settings. If you do not know the password, reset it.
                """,
            form: ClientForm(status: .conflict, oauth: "account_exists", rpc: .alreadyExists), detail: provider)
    }

    /// The provider has given no address that emails can be sent to.
    package static let emailMissing = IdentityError(
        code: "emailMissing", message: "An email address is needed",
        hint: """
            The provider did not share your address. Share it there, or create an account with an address and a \
            password.
            """,
        form: ClientForm(status: .forbidden, oauth: "email_missing", rpc: .failedPrecondition))

    /// The configuration requires a verified address, and the account has none.
    package static let emailUnverified = IdentityError(
        code: "emailUnverified", message: "Confirm your email address first",
        hint: "Sign in through the provider's page, in a browser. You then receive a code by email.",
        form: ClientForm(
            status: .forbidden, oauth: "email_unverified", oauthStatus: .badRequest, rpc: .failedPrecondition))

    /// The mailed code is wrong.
    package static let invalidMailedCode = {
        var error = invalidCode.with(
            message: "The code is invalid or has expired.", hint: "Enter the six digits from the most recent message.")
        // The request needs no sign-in, and a client must not refresh its token.
        error.form = .badRequest
        error.pageKey = "invalidMailedCode"
        return error
    }()

    /// The mailed code, or the proof that it was, has ended.
    package static let codeEnded = {
        var error = IdentityError(
            code: "codeEnded", message: "The code has expired.", hint: "Request a new one.", form: .badRequest)
        // Pages compare it.
        error.pageKey = error.code
        return error
    }()

    /// The code is invalid or has expired, or was issued to another app.
    package static let invalidSignInCode = IdentityError(
        code: "invalidSignInCode", message: "The code is invalid or has expired.",
        hint: "Start the sign-in again.", form: .invalidGrant)

    private static let conflict = ClientForm(status: .conflict, oauth: "invalid_request", rpc: .failedPrecondition)

    /// The identity is linked to another account.
    package static let linkedElsewhere = IdentityError(
        code: "linkedElsewhere", message: "This provider account is already linked to another account here.",
        hint: "Sign in to that account and remove the link there first.", form: conflict)

    /// Returns the error for a guest, whose account is never merged with the other one.
    package static func linkedElsewhere(asGuest: Bool) -> IdentityError {
        guard asGuest else { return linkedElsewhere }
        return linkedElsewhere.with(
            message: linkedElsewhere.message,
            hint: "Sign in with the provider instead. What you did as a guest stays with the guest.")
    }

    /// The account is linked to another identity of the provider.
    package static let alreadyLinked = IdentityError(
        code: "alreadyLinked", message: "This account is already linked to a different account at this provider.",
        hint: "Remove that link first.", form: conflict)

    /// The account has no link to the provider.
    package static let notLinked = IdentityError(
        code: "notLinked", message: "This account has no such link.", form: .notFound, pageKey: "noSuchEntry")

    /// Without the link or the passkey, no user could sign in to the account.
    package static let lastSignIn = IdentityError(
        code: "lastSignIn", message: "This is the only way to sign in to the account.",
        hint: "Set a password first, through 'Forgot your password?', or add another way to sign in.", form: conflict)
}
