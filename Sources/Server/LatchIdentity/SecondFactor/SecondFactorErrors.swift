// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension IdentityError {
    /// The password is right, and the account has a second factor that was not proved yet.
    ///
    /// Only somebody gets to know it who has the password.
    public static let secondFactorRequired = IdentityError(
        code: "mfaRequired", message: "A code of the authenticator app is needed as well.",
        hint: "Send the login again, with the code as 'otp'.")

    /// The code is not the one of now, was used before, or there were too many wrong ones; nobody is told which.
    public static let invalidCode = IdentityError(
        code: "invalidCode", message: "The code is not valid, or no longer.",
        hint: "Wait for the next code, or use a recovery code.")

    /// What the caller wants needs a sign-in from just now.
    public static let signInAgain = IdentityError(
        code: "signInAgain", message: "This needs a sign-in of the last few minutes.", hint: "Log in again.")

    /// The account has no second factor; or none was begun, or what was begun has ended.
    static let noSecondFactor = IdentityError(
        code: "noSecondFactor", message: "There is no second factor.", hint: "Set one up first.")

    /// The secret in the store does not open: the pepper is another one.
    ///
    /// A recovery code still works then.
    static let factorUnreadable = IdentityError(
        code: "factorUnreadable", message: "The secret of a second factor cannot be read.",
        hint: "Start the server with the token_pepper of then, or remove the second factor.")
}
