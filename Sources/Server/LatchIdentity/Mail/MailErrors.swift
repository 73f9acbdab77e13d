// SPDX-License-Identifier: Apache-2.0

extension IdentityError {
    /// A mail could not be handed on.
    public static let mailNotSent = IdentityError.mailNotSent("the mail server did not take it")

    /// Why in words; an SMTP URL is never part of them, for it may hold a password.
    static func mailNotSent(_ why: String) -> IdentityError {
        IdentityError(
            code: "mailNotSent", message: "A mail could not be sent: \(why).",
            hint: "Check the settings mail_directory or smtp_url.")
    }
}
