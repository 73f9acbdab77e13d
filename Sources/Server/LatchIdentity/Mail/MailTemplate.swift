// SPDX-License-Identifier: Apache-2.0

import LatchSignIn

/// The texts of a mail to a user, as plain text and as HTML.
///
/// Links begin with the issuer and never with the Host of a request. No user input except the recipient's address is in
/// a mail.
struct MailTemplate {
    let subject: String
    /// The sentence before the link.
    private let introduction: String
    /// The link and the label of its button; nil for a mail that only informs, so that phishing has nothing to imitate.
    private let link: (url: String, label: String)?
    /// The code to type; nil for a mail without one.
    private var code: String?
    /// The sentence for those who did not expect the mail.
    private let closing: String
}

extension MailTemplate {
    /// Creates the texts of a mail; its link opens a form, so that opening it changes nothing.
    init(_ purpose: OutboxMail.Purpose, token: String, code: String, issuer: String) {
        let issuer = issuer.withoutFinalSlash
        let verification = "\(issuer)/verify?token=\(token)"
        self =
            switch purpose {
            case .verifyEmail:
                Self(
                    subject: "Verify your e-mail address",
                    introduction: "Open this page to verify that this address is yours:",
                    link: (verification, "Verify this address"),
                    closing: "If you did not sign up, ignore this mail.")
            case .resetPassword:
                Self(
                    subject: "Reset your password",
                    introduction: "Open this page to choose a new password:",
                    link: ("\(issuer)/reset?token=\(token)", "Choose a new password"),
                    closing: """
                        The link works once and expires soon. If you did not request it, ignore this mail: nothing has changed.
                        """)
            case .invitation:
                Self(
                    subject: "You are invited",
                    introduction:
                        "An administrator has created an account with this address for you. Open this page to begin:",
                    link: ("\(issuer)/reset?token=\(token)", "Choose a password"),
                    closing: "The link works once. If you expect no invitation, ignore this mail.")
            case .newAddress:
                Self(
                    subject: "Confirm your new e-mail address",
                    introduction: "Open this page to confirm that an account may have this address:",
                    link: (verification, "Confirm this address"),
                    closing: "If you did not request this, ignore this mail.")
            case .oldAddress:
                Self(
                    subject: "Your e-mail address is about to change",
                    introduction:
                        "A change of your account's e-mail address was requested. Open this page to confirm or to refuse it:",
                    link: ("\(issuer)/confirm-change?token=\(token)", "Confirm or refuse the change"),
                    closing: """
                        If you did not request this, refuse it and reset your password: someone else is using your account.
                        """)
            case .addressChanging: .addressChanging
            case .factorAdded: .factorAdded
            case .factorRemoved: .factorRemoved
            case .signInAdded: .signInAdded
            case .signInRemoved: .signInRemoved
            case .addressCode:
                Self(
                    subject: "Confirm your e-mail address",
                    introduction:
                        "You are signing in through another provider. Type this code into the page that asks for it:",
                    link: nil, code: "\(code.prefix(4)) \(code.suffix(4))",
                    closing: """
                        It is valid for ten minutes. Tell it to nobody. If you are not signing in, someone else is trying to with \
                        your address: ignore this mail, and nothing happens.
                        """)
            case .addressTaken: .addressTaken
            case .signedUp: .signedUp
            }
    }

    /// A notice of a change of address, to an old address that was never verified.
    private static let addressChanging = Self(
        subject: "Your e-mail address is about to change",
        introduction: "A change of your account's e-mail address was requested.",
        link: nil,
        closing: "If you did not request it, reset your password.")

    /// A notice of a second factor.
    private static let factorAdded = Self(
        subject: "A second factor was set up",
        introduction: "Your account now requires a code of an authenticator app, and all other devices are signed out.",
        link: nil,
        closing: "If you did not do this, someone else is using your account: ask its operator for help at once.")

    /// A notice of the end of a second factor.
    private static let factorRemoved = Self(
        subject: "Your second factor was removed",
        introduction: "Your account no longer requires a code of an authenticator app.",
        link: nil,
        closing: """
            If neither you nor an administrator did this for you, reset your password and set a factor up again.
            """)

    /// A notice of a link to a provider.
    private static let signInAdded = Self(
        subject: "A new way to sign in was added",
        introduction: "An account at another provider can now sign in to your account. Your app lists it.",
        link: nil,
        closing: """
            If you did not do this, remove it in your app and reset your password: someone else is using your account.
            """)

    /// A notice of the end of such a link.
    private static let signInRemoved = Self(
        subject: "A way to sign in was removed",
        introduction: "An account at another provider can no longer sign in to your account.",
        link: nil,
        closing: "If you did not do this, reset your password: someone else is using your account.")

    /// The mail in place of a code, where another account has the address.
    private static let addressTaken = Self(
        subject: "You have an account already",
        introduction: """
            Someone is signing in with an account at another provider that has your address. You have an account here \
            already, so there is no code. Sign in as you did before, and link the provider in your app's settings.
            """,
        link: nil,
        closing: """
            If you do not know the password, reset it in your app. If you are not signing in, ignore this mail: nothing \
            has changed.
            """)

    /// A notice of a sign-up through a provider.
    private static let signedUp = Self(
        subject: "An account was created with your address",
        introduction: "Someone signed up with this address, by an account at another provider.",
        link: nil,
        closing: """
            If that was you, there is nothing to do. Otherwise choose a new password in the app ("forgot password"): the \
            account is then yours, and nobody else can sign in to it.
            """)

    /// The plain text.
    var text: String {
        [introduction, link?.url, code, closing].compactMap(\.self).joined(separator: "\n\n") + "\n"
    }

    /// The HTML, in the look of the pages; its styles are attributes, since mail programs drop style sheets.
    var html: String {
        let button = link.map { url, label in
            """

            <p style="margin:0 0 20px"><a href="\(HTMLContext.url.escape(url))" style="display:inline-block;padding:11px 20px;\
            font-weight:600;color:#ffffff;background:#2456c9;border-radius:8px;text-decoration:none">\
            \(HTMLContext.text.escape(label))</a></p>
            <p style="margin:0 0 20px;color:#5b6472;font-size:13px;word-break:break-all">\(HTMLContext.text.escape(url))</p>
            """
        }
        let typed = code.map {
            """

            <p style="margin:0 0 20px;font:600 28px/1.25 ui-monospace,monospace;letter-spacing:2px">\
            \(HTMLContext.text.escape($0))</p>
            """
        }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTMLContext.text.escape(subject))</title>
            <body style="margin:0;padding:20px;background:#f4f5f7;color:#1d2129;font:16px/1.5 system-ui,sans-serif">
            <div style="max-width:400px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #d5d9e0;\
            border-radius:12px">
            <h1 style="margin:0 0 8px;font-size:22px;line-height:1.25">\(HTMLContext.text.escape(subject))</h1>
            <p style="margin:0 0 20px;color:#5b6472">\(HTMLContext.text.escape(introduction))</p>\(button ?? typed ?? "")
            <p style="margin:0;color:#5b6472">\(HTMLContext.text.escape(closing))</p>
            </div>
            </body>
            </html>

            """
    }
}
