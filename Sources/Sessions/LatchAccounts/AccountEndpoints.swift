// SPDX-License-Identifier: Apache-2.0

/// The paths of an account backend, relative to the base URL.
public struct AccountEndpoints: Sendable {
    /// The sign-in: POST `{email, password, otp?}`.
    public var signIn = "api/auth/clients/login"
    /// The ways in which users can sign in: GET.
    ///
    /// The response has `ways`, `providers` and `signup`. Set nil for a backend with passwords and passkeys.
    public var signInWays: String? = "api/auth/ways"
    /// The request for a mailed code: POST `{email, purpose, challenge?}` with the purpose `sign_in` or `sign_up`.
    ///
    /// The response has the `challenge`, and the lifetime of the code in seconds as `expiresIn`.
    public var code = "api/auth/code"
    /// The sign-in with a mailed code: POST `{challenge, code, otp?}`.
    public var codeSignIn = "api/auth/code/login"
    /// The sign-up with a mailed code: POST `{challenge, code, password?, name?, username?}`.
    public var codeSignUp = "api/auth/code/register"
    /// The refresh: POST `{refreshToken}`.
    public var refresh = "api/auth/refresh-token"
    /// The sign-out: POST `{refreshToken}` with the access token.
    public var signOut = "api/auth/logout"
    /// The sign-up: POST `{email, password, name?, roles?}`.
    public var signUp = "api/clients/register"
    /// The beginning of a guest: POST without content.
    public var guest = "api/auth/guest"
    /// The registration of a guest: POST `{email, password, name?}` with the access token.
    public var guestRegistration = "api/auth/guest/register"
    /// The phone number, with the access token: POST `{phone}`, POST `<folder>/verify` with `{challenge, code}`, and
    /// DELETE.
    public var phone = "api/auth/phone"
    /// The folder of the sign-in pages of other providers: GET `<folder>/google`, and so on.
    public var providers = "api/auth"
    /// The exchange of a deep link's code for tokens: POST `{code, code_verifier}`.
    public var exchange = "api/auth/exchange"
    /// The invitation: POST `{email, name?, roles?}` with the access token.
    public var invitation = "api/users/invite"
    /// The request for a password reset: POST `{email}`.
    public var forgotPassword = "api/auth/forgot-password"
    /// The password reset: POST `{token, password}`; the response may have the `email` of the account.
    public var resetPassword = "api/auth/reset-password"
    /// The verification of an address: POST `{token, password?}`.
    ///
    /// The response may have the confirmed `email`, and `changePending`.
    public var verifyEmail = "api/auth/verify-email"
    /// The request for another verification mail: POST `{email}`.
    public var resendVerification = "api/auth/resend-verification"
    /// The repeated authentication, with the access token.
    ///
    /// The content is `{password, otp?}`, `{code, code_verifier, otp?}` after a provider's page, or the `{credential}`
    /// of a passkey.
    public var reauthenticate = "api/auth/reauthenticate"
    /// The user's sign-in methods: GET with the access token.
    public var signInMethods = "api/auth/links"
    /// The sign-in with the device's own Sign in with Apple: POST
    /// `{identityToken, nonce, authorizationCode?, name?, otp?}`.
    public var appleSignIn = "api/auth/apple/exchange"
    /// The folder of the user's passkeys, with the access token.
    ///
    /// It accepts GET, POST `{credential, name?}`, POST `<folder>/options`, PATCH `<folder>/<id>` with `{name}`, and
    /// DELETE `<folder>/<id>`.
    public var passkeys = "api/auth/passkeys"
    /// The request for the options of a sign-in with a passkey: POST `{}`.
    public var passkeySignInOptions = "api/auth/passkeys/sign-in/options"
    /// The sign-in with a passkey: POST `{credential}`.
    public var passkeySignIn = "api/auth/passkeys/sign-in"
    /// The profile: GET with the access token.
    public var profile = "user/profile"
    /// The folder of the RPCs of `userservice.v1.UserService`: POST `<folder>/<method>` with JSON.
    ///
    /// Set nil for a backend without this service. Otherwise the first sign-in sends the password to a path that the
    /// backend does not know. After that, sign-ins use the backend's own route, and only the profile is still requested
    /// here.
    public var userService: String? = "userservice.v1.UserService"
    /// The account type, which resets send as `type` to backends that require it.
    public var accountType: String?
    /// The name of the cookie with the refresh token.
    public var refreshCookie = "refreshToken"

    /// Creates the paths of Latchwork's server and of the backend of AuthPackage.
    public init() {}
}
