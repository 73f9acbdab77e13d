// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage
import LatchSignIn
package import LatchTexts

/// The texts of an email to a user, as plain text and as HTML, in one language.
///
/// Links begin with the issuer, never with the Host of a request. The recipient's address is the only user input in a
/// email.
package struct MailTemplate {
    package let subject: String
    /// The name of the service that the email is from.
    private let serviceName: String
    private let language: String
    /// The sentence before the link.
    private let introduction: String
    /// The link and the label of its button; nil for an email without one.
    private let link: (url: String, label: String)?
    /// Whether the link is to the page of the account, and not the next step of the introduction.
    private let isAboutAccount: Bool
    /// The code to type; nil for an email without one.
    private let code: String?
    /// The sentence about other providers that sign in to the account; nil for all emails without such providers.
    private let providers: String?
    /// The sentence for recipients who did not expect the email.
    private let closing: String

    /// Creates the texts of an email.
    ///
    /// Its link opens a form, or the page of the account, where its user signs in: opening the link changes nothing
    /// (decision 0120).
    ///
    /// The texts in the catalog are `mail.PURPOSE.subject`, `.introduction`, `.button` and `.closing`. Their arguments
    /// are the name of the service, the recipient, and the lifetime of the link, or the time until a deletion.
    package init(
        _ purpose: OutboxMail.Purpose, to recipient: String, token: String, code: String, issuer: String,
        providers: [String] = [], configuration: IdentityConfiguration = IdentityConfiguration(),
        texts: Texts = Texts(languages: [])
    ) {
        serviceName = configuration.serviceName
        let name = Phrase.Argument.text(serviceName)
        let time: Duration =
            switch purpose {
            case .resetPassword: configuration.resetLifetime
            case .deletionRequested: configuration.deletionDelay
            default: configuration.verificationLifetime
            }
        let lifetime = Self.phrase(time)
        func text(_ part: String) -> String {
            texts(Phrase("mail.\(purpose.rawValue).\(part)", name, .text(recipient), .phrase(lifetime)))
        }
        (subject, introduction, closing) = (text("subject"), text("introduction"), text("closing"))
        language = texts.language
        let names = providers.joined(separator: ", ")
        self.providers = names.isEmpty ? nil : texts(Phrase("mail.passwordChanged.providers", .text(names)))
        let server = issuer.withoutFinalSlash
        isAboutAccount = purpose.page == .account
        link =
            switch purpose.page {
            case .form(let path): ("\(server)\(path)?token=\(token)", text("button"))
            case .account: ("\(server)/account", texts(Phrase("mail.account.button")))
            case nil: nil
            }
        self.code = [.addressCode, .signUpCode].contains(purpose) ? "\(code.prefix(4)) \(code.suffix(4))" : nil
    }

    /// Returns a time in the largest unit that divides it; in days only from two days on.
    private static func phrase(_ time: Duration) -> Phrase {
        let minutes = Int(time.components.seconds / 60)
        if minutes >= 48 * 60, minutes % (24 * 60) == 0 {
            return Phrase("mail.lifetime.days", .count(minutes / (24 * 60)))
        }
        if minutes % 60 == 0 { return Phrase("mail.lifetime.hours", .count(minutes / 60)) }
        return Phrase("mail.lifetime.minutes", .count(minutes))
    }

    /// The plain text.
    package var text: String {
        [
            introduction, link.map { isAboutAccount ? "\($0.label): \($0.url)" : $0.url }, code, providers, closing,
            serviceName,
        ].compactMap(\.self).joined(separator: "\n\n")
            + "\n"
    }

    /// The HTML, in the style of the pages; its styles are attributes, since email programs remove style sheets.
    package var html: String {
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
        let note = providers.map {
            "\n<p style=\"margin:0 0 20px;color:#5b6472\">\(HTMLContext.text.escape($0))</p>"
        }
        return """
            <!doctype html>
            <html lang="\(HTMLContext.attribute.escape(language))">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTMLContext.text.escape(subject))</title>
            <body style="margin:0;padding:20px;background:#f4f5f7;color:#1d2129;font:16px/1.5 system-ui,sans-serif">
            <div style="max-width:400px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #d5d9e0;\
            border-radius:12px">
            <p style="margin:0 0 16px;font-weight:600;color:#5b6472">\(HTMLContext.text.escape(serviceName))</p>
            <h1 style="margin:0 0 8px;font-size:22px;line-height:1.25">\(HTMLContext.text.escape(subject))</h1>
            <p style="margin:0 0 20px;color:#5b6472">\(HTMLContext.text.escape(introduction))</p>\(button ?? typed ?? "")\(note ?? "")
            <p style="margin:0;color:#5b6472">\(HTMLContext.text.escape(closing))</p>
            </div>
            </body>
            </html>

            """
    }
}

extension OutboxMail.Purpose {
    /// A page that an email links to.
    package enum Page: Sendable, Hashable {
        /// The form at a path that takes the token of the email.
        case form(path: String)
        /// The page of the account.
        case account
    }

    /// The page that the email links to; nil for an email without a link.
    package var page: Page? {
        switch self {
        case .verifyEmail, .newAddress: .form(path: "/verify")
        case .resetPassword, .invitation: .form(path: "/reset")
        case .oldAddress: .form(path: "/confirm-change")
        case .factorAdded, .factorRemoved, .signInAdded, .signInRemoved, .passkeyAdded, .passkeyRemoved,
            .passwordChanged, .addressTaken, .signUpTaken, .deletionRequested:
            .account
        case .addressChanging, .addressCode, .signedUp, .signUpCode:
            nil
        }
    }
}
