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
