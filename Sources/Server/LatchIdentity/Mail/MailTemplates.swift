// SPDX-License-Identifier: Apache-2.0

/// The texts of the mails to users.
///
/// Links begin with the issuer and never with the Host of a request. No user input except the recipient's address is in
/// a mail.
enum MailTemplates {
    /// Returns the mail that verifies an address; its link opens a form, so that opening it changes nothing.
    static func verification(to account: Account, token: String, issuer: String) throws(IdentityError) -> MailMessage {
        try MailMessage(
            to: account.email.text, subject: "Verify your e-mail address",
            text: """
                Open this page to verify that this address is yours:

                \(issuer.withoutFinalSlash)/verify?token=\(token)

                If you did not sign up, ignore this mail.

                """)
    }

    /// Returns the mail to the new address of a change of address.
    static func newAddress(to email: EmailAddress, token: String, issuer: String) throws(IdentityError) -> MailMessage {
        try MailMessage(
            to: email.text, subject: "Confirm your new e-mail address",
            text: """
                Open this page to confirm that an account may have this address:

                \(issuer.withoutFinalSlash)/verify?token=\(token)

                If you did not request this, ignore this mail.

                """)
    }

    /// Returns the mail to the old address of a change of address; without a token it only informs.
    static func oldAddress(to email: EmailAddress, token: String?, issuer: String) throws(IdentityError) -> MailMessage
    {
        let question = """
            A change of your account's e-mail address was requested. Open this page to confirm it:

            \(issuer.withoutFinalSlash)/verify?token=\(token ?? "")

            If you did not request this, ignore this mail and change your password: someone else is using your account.

            """
        let notice = """
            A change of your account's e-mail address was requested. If you did not request it, reset your password.

            """
        return try MailMessage(
            to: email.text, subject: "Your e-mail address is about to change", text: token == nil ? notice : question)
    }

    /// Returns the mail after the removal of a second factor; it has no link that phishing could imitate.
    static func factorRemoved(to account: Account) throws(IdentityError) -> MailMessage {
        try MailMessage(
            to: account.email.text, subject: "Your second factor was removed",
            text: """
                Your account no longer requires a code of an authenticator app.

                If neither you nor an administrator did this for you, reset your password and set a factor up again.

                """)
    }

    /// Returns the mail that resets a password.
    static func reset(to account: Account, token: String, issuer: String) throws(IdentityError) -> MailMessage {
        try MailMessage(
            to: account.email.text, subject: "Reset your password",
            text: """
                Open this page to choose a new password:

                \(issuer.withoutFinalSlash)/reset?token=\(token)

                The link works once and expires soon. If you did not request it, ignore this mail: nothing has changed.

                """)
    }
}
