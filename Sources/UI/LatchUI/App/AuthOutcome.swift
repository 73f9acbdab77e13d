// SPDX-License-Identifier: Apache-2.0

/// The outcome of a screen of an ``AuthModel``, or of its menu.
enum AuthOutcome: Hashable, Sendable {
    /// The outcome of a sign-in, with its method; nil for a passkey that the keyboard suggested.
    case signIn(SignInScreen.Outcome, by: AuthEvent.Way? = nil)
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
    /// A screen of the app is done, or was left.
    case custom

    /// The method by which the screen has signed a user in; nil without a sign-in.
    var signsIn: AuthEvent.Way? {
        switch self {
        case .signIn(.signedIn, let way): way ?? .passkey
        case .verification(.signedIn), .passwordReset(.signedIn): .password
        default: nil
        }
    }

    /// The event that an app receives for the outcome; nil for an intermediate step.
    var event: AuthEvent? {
        if let way = signsIn { return .signedIn(by: way) }
        return switch self {
        case .registration(.registered(let email)): .signedUp(email: email)
        case .profile(.deleted): .deleted
        default: nil
        }
    }
}
