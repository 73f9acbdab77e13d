// SPDX-License-Identifier: Apache-2.0

/// The route to a screen of an ``AuthModel``, which an app may store to show the screen again after a restart.
///
/// Its encoded form has no secret: a screen that waits for a mail is encoded as it waits.
public enum AuthRoute: Hashable, Sendable, Codable {
    /// The sign-in, with the address if it is known.
    case signIn(email: String)
    /// The registration, with the address if it is known.
    case registration(email: String)
    /// The verification of an address.
    case verification(EmailVerificationScreen)
    /// The password reset.
    case passwordReset(PasswordResetScreen)
    /// The accounts of this device.
    case accounts
    /// The profile.
    case profile
    /// The editing of the names.
    case editProfile
    /// The change of the password.
    case changePassword
    /// The set-up of a second factor.
    case secondFactor
    /// The devices.
    case devices
    /// The passkeys.
    case passkeys
    /// The offer of a passkey, with the address of the account.
    case passkeyOffer(email: String)

    /// Whether the screen needs a signed-in user.
    public var needsUser: Bool {
        switch self {
        case .signIn, .registration, .verification, .passwordReset, .accounts: false
        case .profile, .editProfile, .changePassword, .secondFactor, .devices, .passkeys, .passkeyOffer: true
        }
    }
}
