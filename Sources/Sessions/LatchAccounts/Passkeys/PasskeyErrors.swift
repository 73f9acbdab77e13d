// SPDX-License-Identifier: Apache-2.0

extension AccountError {
    /// The user closed the system's dialog for a passkey.
    public static let passkeyCancelled = AccountError(
        code: "passkeyCancelled", message: "The request for a passkey was canceled.",
        hint: "Show no error. Offer another way to continue.")

    /// This device has no passkey for the server.
    public static let noPasskey = AccountError(
        code: "noPasskey", message: "This device has no passkey for the server.",
        hint: "Sign in another way, then add a passkey.")

    /// The account already has a passkey of this device.
    public static let passkeyExists = AccountError(
        code: "passkeyExists", message: "The account already has a passkey on this device.",
        hint: "Sign in with it, or remove it first.")

    /// The server does not accept the passkey, which may have been removed from the account.
    public static let passkeyRefused = AccountError(
        code: "passkeyRefused", message: "The server does not accept the passkey.",
        hint: "Sign in another way, and remove the passkey from the device.")

    /// Passkeys cannot be used on this device or by this app.
    public static let passkeysUnavailable = passkeysUnavailable("this device has none")

    /// The credential to remove is the only way to sign in to the account.
    public static let lastSignInMethod = AccountError(
        code: "lastSignInMethod", message: "This is the only way to sign in to the account.",
        hint: "Set a password or add another passkey first.")

    /// Creates the error for a device or an app that cannot use passkeys.
    static func passkeysUnavailable(_ reason: String) -> AccountError {
        AccountError(
            code: "passkeysUnavailable", message: "Passkeys cannot be used: \(reason).",
            hint: "Sign in another way. An app needs the associated domain webcredentials: of its server.")
    }

    /// Creates the error for a code of `ASAuthorizationError`, after a request for a passkey.
    init(passkeyErrorCode code: Int?, mediation: PasskeyMediation) {
        self =
            switch code {
            // `canceled`: by the user, or without a visible dialog because the device has no passkey.
            case 1001: mediation == .immediate ? .noPasskey : .passkeyCancelled
            // `notInteractive`.
            case 1005: .noPasskey
            // `matchedExcludedCredential`.
            case 1006: .passkeyExists
            case let code?: .passkeysUnavailable("the system's dialog failed with the code \(code)")
            case nil: .passkeysUnavailable("the system's dialog returned another credential")
            }
    }
}
