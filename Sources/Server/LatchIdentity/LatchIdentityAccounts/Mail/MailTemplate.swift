// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation
package import LatchIdentityStorage
import LatchSignIn
package import LatchTexts

/// The texts of an email to a user, as plain text and as HTML, in one language.
///
/// Links begin with the issuer, never with the Host of a request. An email contains two inputs of users: the address of
/// its recipient, and the IP address of the client.
package struct MailTemplate {
    package let subject: String
    /// The subject without the name of the service.
    private let title: String
    /// The name of the service that the email is from.
    private let serviceName: String
    private let language: String
    /// Whether the text runs from right to left.
    private let isRightToLeft: Bool
    private let accent: String
    /// The sentence before the link.
    private let introduction: String
    /// The link and the label of its button; nil for an email without one.
    private let link: (url: String, label: String)?
    /// Whether the link is to the page of the account, and not the next step of the introduction.
    private let isAboutAccount: Bool
    /// The code to type, in two groups of digits; nil for an email without one.
    private let code: String?
    /// The sentence before a code that stands beside a link; nil for another email.
    private let codeIntroduction: String?
    /// The sentence about other providers that sign in to the account; nil for all emails without such providers.
    private let providers: String?
    /// What the owner compares with the memory: the account, the time, the device and its address.
    private let details: [String]
    /// The sentence for recipients who did not expect the email.
    private let closing: String
    /// The page about help, and its label.
    private let support: (url: String, text: String)?

    /// Creates the texts of an email.
    ///
    /// Its link opens a form, or the page of the account, where its user signs in: opening the link changes nothing
    /// (decision 0120).
    ///
    /// The texts in the catalog are `mail.PURPOSE.subject`, `.introduction`, `.button` and `.closing`. Their arguments
    /// are the name of the service, the recipient, and the lifetime of the link, or the time until a deletion.
    ///
    /// - Parameters:
    ///   - date: The time of the request that caused the email.
    ///   - cause: That request, which emails about the safety of an account describe.
    package init(
        _ purpose: OutboxMail.Purpose, to recipient: String, token: String, code: String, issuer: String,
        providers: [String] = [], at date: Date, causedBy cause: MailCause = MailCause(),
        configuration: IdentityConfiguration = IdentityConfiguration(), texts: Texts = Texts(languages: [])
    ) {
        let serviceName = configuration.serviceName
        let time: Duration =
            switch purpose {
            case .resetPassword: configuration.resetLifetime
            case .deletionRequested: configuration.deletionDelay
            default: configuration.verificationLifetime
            }
        let lifetime = Self.phrase(time)
        let server = issuer.withoutFinalSlash
        func text(_ part: String) -> String {
            texts(
                Phrase("mail.\(purpose.rawValue).\(part)", .text(serviceName), .text(recipient), .phrase(lifetime)))
        }
        func labeled(_ label: String, _ value: String) -> String {
            texts(Phrase("mail.labeled", .text(label), .text(value)))
        }
        (title, introduction, closing) = (text("subject"), text("introduction"), text("closing"))
        let unnamed = texts(Phrase("mail.\(purpose.rawValue).subject", .text(""), .text(recipient), .phrase(lifetime)))
        subject = unnamed == title ? labeled(serviceName, title) : title
        (self.serviceName, language, isRightToLeft) = (serviceName, texts.language, texts.isRightToLeft)
        accent = configuration.accentColor.flatMap(PageColor.init)?.text ?? PageStyle.accent
        let names = providers.joined(separator: ", ")
        self.providers = names.isEmpty ? nil : texts(Phrase("mail.passwordChanged.providers", .text(names)))
        isAboutAccount = purpose.page == .account
        link =
            switch purpose.page {
            case .form(let path): ("\(server)\(path)?token=\(token)", text("button"))
            case .account: ("\(server)/account", texts(Phrase("mail.account.button")))
            case nil: nil
            }
        self.code =
            [.addressCode, .signUpCode, .signInCode, .verifyEmail].contains(purpose)
            ? "\(code.prefix(3)) \(code.suffix(3))" : nil
        codeIntroduction =
            purpose == .verifyEmail ? texts(Phrase("mail.verifyEmail.code", .text("\(server)/verify"))) : nil
        let facts: [(label: Phrase, value: String?)] = [
            (Phrase("mail.detail.account"), recipient), (Phrase("mail.detail.time"), Texts.minute(date)),
            // The text of a stranger's device would be a stranger's text in an email of the service.
            (Phrase("mail.detail.device"), UserAgentDescription(of: cause.userAgent).text),
            (Phrase("mail.detail.address"), cause.address),
        ]
        details =
            purpose.describesCause ? facts.compactMap { fact in fact.value.map { labeled(texts(fact.label), $0) } } : []
        support = configuration.supportURL.map { url in
            let shown = url.utf8.starts(with: "mailto:".utf8) ? String(url.dropFirst(7)) : url
            return (url, labeled(texts(Phrase("page.link.support")), shown))
        }
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
        let facts = details.isEmpty ? nil : details.joined(separator: "\n")
        let step = link.map { isAboutAccount ? "\($0.label):\n\($0.url)" : $0.url }
        return [
            introduction, isAboutAccount ? facts : step, codeIntroduction, code, isAboutAccount ? step : facts,
            providers, closing, [serviceName, support?.text].compactMap(\.self).joined(separator: "\n"),
        ].compactMap(\.self).joined(separator: "\n\n")
            + "\n"
    }

    /// The HTML, in the style of the pages.
    ///
    /// Its styles are attributes, since email programs remove style sheets; the sheet has the dark colors. The hidden
    /// first paragraph is the preview text in a list of emails.
    package var html: String {
        let escape = HTMLContext.text.escape
        func paragraph(_ html: String, _ style: String = "margin:0 0 20px;color:#5b6472", _ name: String = "soft")
            -> String
        {
            "<p class=\"\(name)\" style=\"\(style)\">\(html)</p>"
        }
        let button = link.map { url, label in
            let button = """
                <a class="button" href="\(HTMLContext.url.escape(url))" style="display:inline-block;padding:11px 20px;\
                font-weight:600;color:#ffffff;background:\(accent);border-radius:8px;text-decoration:none">\
                \(escape(label))</a>
                """
            return [
                paragraph(button, "margin:0 0 20px", "action"),
                paragraph(escape(url), "margin:0 0 20px;color:#5b6472;font-size:13px;word-break:break-all"),
            ].joined(separator: "\n")
        }
        let typed = code.map {
            paragraph(
                escape($0), "margin:0 0 20px;font:600 28px/1.25 ui-monospace,monospace;letter-spacing:2px", "code")
        }
        let facts =
            details.isEmpty
            ? nil
            : paragraph(
                details.map(escape).joined(separator: "<br>\n"),
                "margin:0 0 20px;padding:12px 16px;border:1px solid #d5d9e0;border-radius:8px", "facts")
        let contact = support.map { url, text in
            paragraph(
                "<a class=\"soft\" href=\"\(HTMLContext.attribute.escape(url))\" style=\"color:#5b6472\">\(escape(text))</a>",
                "margin:20px 0 0;font-size:13px")
        }
        let parts = [
            paragraph(escape(serviceName), "margin:0 0 16px;font-weight:600;color:#5b6472"),
            "<h1 style=\"margin:0 0 8px;font-size:22px;line-height:1.25\">\(escape(title))</h1>",
            paragraph(escape(introduction)), isAboutAccount ? facts : button,
            codeIntroduction.map { paragraph(escape($0)) }, typed, isAboutAccount ? button : facts,
            providers.map { paragraph(escape($0)) }, paragraph(escape(closing), "margin:0;color:#5b6472"), contact,
        ]
        return """
            <!doctype html>
            <html lang="\(HTMLContext.attribute.escape(language))"\(isRightToLeft ? " dir=\"rtl\"" : "")>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="format-detection" content="telephone=no,date=no,address=no">
            <title>\(escape(subject))</title>
            <style>\(Self.darkSheet(accent))</style>
            <body style="margin:0;padding:20px;background:#f4f5f7;color:#1d2129;font:16px/1.5 system-ui,sans-serif">
            <div style="display:none;max-height:0;overflow:hidden">\(escape(introduction))</div>
            <div class="card" style="max-width:400px;margin:0 auto;padding:32px;color:#1d2129;background:#ffffff;border:1px solid #d5d9e0;\
            border-radius:12px">
            \(parts.compactMap(\.self).joined(separator: "\n"))
            </div>
            </body>
            </html>

            """
    }

    /// Returns the style sheet of the dark, with the colors of the pages.
    private static func darkSheet(_ accent: String) -> String {
        let button = PageStyle.dark(accent)
        return """
            :root{color-scheme:light dark}
            @media(prefers-color-scheme:dark){
            body{background:#14161a!important;color:#e8eaee!important}
            .card{color:#e8eaee!important;background:#1d2026!important;border-color:#3a404b!important}
            .soft{color:#a3abb8!important}
            .facts{border-color:#3a404b!important}
            .button{color:#1d2026!important;background:\(button)!important}}
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
            .passwordChanged, .addressTaken, .signUpTaken, .deletionRequested, .newDevice, .apiKeyAdded:
            .account
        case .addressChanging, .addressChanged, .addressCode, .signedUp, .signUpCode, .signInCode:
            nil
        }
    }
}
