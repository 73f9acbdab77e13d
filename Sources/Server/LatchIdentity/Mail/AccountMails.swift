// SPDX-License-Identifier: Apache-2.0

/// The texts of the mails that accounts get.
///
/// Links begin with the configured issuer and never with what a request calls the server. Nothing that a person typed
/// stands in a mail but the address it goes to.
enum AccountMails {
    /// The link carries the token in its query, which the page turns into a form: opening it changes nothing.
    static func verification(to account: Account, token: String, issuer: String) throws(IdentityError) -> MailMessage {
        try MailMessage(
            to: account.email.text, subject: "Verify your e-mail address",
            text: """
                Open this page to verify that this address is yours:

                \(issuer.withoutFinalSlash)/verify?token=\(token)

                If you did not sign up, ignore this mail.

                """)
    }

    /// To the address that an account is to get.
    static func newAddress(to email: EmailAddress, token: String, issuer: String) throws(IdentityError) -> MailMessage {
        try MailMessage(
            to: email.text, subject: "Confirm your new e-mail address",
            text: """
                Open this page to confirm that an account may have this address:

                \(issuer.withoutFinalSlash)/verify?token=\(token)

                If you did not ask for it, ignore this mail.

                """)
    }

    /// To the address that an account has; without a token it is told and not asked.
    static func oldAddress(to email: EmailAddress, token: String?, issuer: String) throws(IdentityError) -> MailMessage
    {
        let asked = """
            Your account is to get another e-mail address. Open this page to agree:

            \(issuer.withoutFinalSlash)/verify?token=\(token ?? "")

            If you did not ask for it, ignore this mail, and change your password: somebody uses your account.

            """
        let told = """
            Your account is to get another e-mail address. If you did not ask for it, reset your password.

            """
        return try MailMessage(
            to: email.text, subject: "Your e-mail address is to change", text: token == nil ? told : asked)
    }

    /// Tells and asks nothing: there is no link in it that somebody could be lured to.
    static func factorRemoved(to account: Account) throws(IdentityError) -> MailMessage {
        try MailMessage(
            to: account.email.text, subject: "Your second factor was removed",
            text: """
                Your account asks for no code of an authenticator app any more.

                If neither you nor an administrator did this for you, reset your password and set a factor up again.

                """)
    }

    /// It does not say whether there was such an account: it is only ever sent to one that there is.
    static func reset(to account: Account, token: String, issuer: String) throws(IdentityError) -> MailMessage {
        try MailMessage(
            to: account.email.text, subject: "Reset your password",
            text: """
                Open this page to choose a new password:

                \(issuer.withoutFinalSlash)/reset?token=\(token)

                The link works once and ends soon. If you did not ask for it, ignore this mail: nothing has changed.

                """)
    }
}

extension String {
    /// Without the slash at the end, so that a path can follow.
    var withoutFinalSlash: Substring { hasSuffix("/") ? dropLast() : self[...] }
}
