// SPDX-License-Identifier: Apache-2.0

/// The route to a screen of an ``AuthModel``, which an app may store to show the screen again after a restart.
///
/// Its encoded form has no secret: a screen that waits for an email is encoded in its waiting state.
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
    /// A screen of the app, by its name in the model's configuration.
    ///
    /// The address belongs to the registration that the screen follows, before the sign-in; nil for a signed-in user.
    case custom(String, email: String? = nil)

    /// Whether the screen needs a signed-in user.
    public var needsUser: Bool {
        switch self {
        case .signIn, .registration, .verification, .passwordReset, .accounts: false
        case .profile, .editProfile, .changePassword, .secondFactor, .devices, .passkeys, .passkeyOffer: true
        case .custom(_, let email): email == nil
        }
    }

    /// The address of a screen that waits for an email; nil for any other screen.
    var email: String? {
        let email =
            switch self {
            case .verification(let screen): screen.email
            case .passwordReset(let screen): screen.email
            default: ""
            }
        return email.isEmpty ? nil : email
    }

    /// The kind of a screen; several custom screens may be open, but only one of any other kind.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case signIn, registration, verification, passwordReset, accounts, profile, editProfile, changePassword
        case secondFactor, devices, passkeys, passkeyOffer, custom
    }

    /// The kind of the screen.
    var kind: Kind {
        switch self {
        case .signIn: .signIn
        case .registration: .registration
        case .verification: .verification
        case .passwordReset: .passwordReset
        case .accounts: .accounts
        case .profile: .profile
        case .editProfile: .editProfile
        case .changePassword: .changePassword
        case .secondFactor: .secondFactor
        case .devices: .devices
        case .passkeys: .passkeys
        case .passkeyOffer: .passkeyOffer
        case .custom: .custom
        }
    }

    /// Whether another route leads to the same screen, which is open at most once.
    func isSameScreen(as other: AuthRoute) -> Bool {
        if case .custom(let name, _) = self, case .custom(let otherName, _) = other { return name == otherName }
        return kind == other.kind
    }
}
