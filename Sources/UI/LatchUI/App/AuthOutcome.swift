// SPDX-License-Identifier: Apache-2.0

/// The outcome of a screen of an ``AuthModel``, or of its menu.
enum AuthOutcome: Hashable, Sendable {
    /// The outcome of a sign-in, and whether it was by a password.
    case signIn(SignInScreen.Outcome, usesPassword: Bool = false)
    case registration(RegistrationScreen.Outcome)
    case verification(EmailVerificationScreen.Outcome)
    case passwordReset(PasswordResetScreen.Outcome)
    case accounts(AccountSwitcherScreen.Outcome)
    case profile(ProfileScreen.Outcome)
    case editProfile(EditProfileScreen.Outcome)
    case changePassword(ChangePasswordScreen.Outcome)
    case secondFactor(SecondFactorScreen.Outcome)
    case devices(DevicesScreen.Outcome)
    case passkeys(PasskeysScreen.Outcome)
    case passkeyOffer(PasskeyScreen.Outcome)

    /// Whether the screen has signed a user in with a password; nil if it has signed in nobody.
    var signsIn: Bool? {
        switch self {
        case .signIn(.signedIn, let usesPassword): usesPassword
        case .verification(.signedIn), .passwordReset(.signedIn): true
        default: nil
        }
    }
}
