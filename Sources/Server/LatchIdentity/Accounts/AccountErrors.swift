// SPDX-License-Identifier: Apache-2.0

extension IdentityError {
    /// What was sent cannot be used as it is.
    public static let invalidInput = IdentityError.invalidInput("something is missing or has another type")

    /// There is an account with that address already.
    public static let alreadyExists = IdentityError(
        code: "alreadyExists", message: "There is already an account with this e-mail address.",
        hint: "Log in, or reset the password.")

    /// Another account has that username; its code is that of an address that is taken.
    static let usernameTaken = IdentityError(
        code: alreadyExists.code, message: "There is already an account with this username.",
        hint: "Choose another one.")
}

extension IdentityError {
    /// What is wrong by the member's name; never its value, which may be a password under the wrong name.
    package static func invalidInput(_ what: String, hint: String? = nil) -> IdentityError {
        IdentityError(code: "invalidInput", message: "The request cannot be used: \(what).", hint: hint)
    }

    static let invalidEmail = IdentityError.invalidInput(
        "the e-mail address is not one",
        hint: "Write it like name@example.com, an international domain in its xn-- form.")
}
