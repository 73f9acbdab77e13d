// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage
import LatchSignIn
package import LatchTexts

/// The HTML of emails, in the style of the pages.
///
/// Its styles are attributes, since email programs remove style sheets; the sheet has the dark colors.
package struct MailLayout {
    package let accent: String
    package let supportURL: String?
    /// The label of a link whose template has none.
    package let button: String
    package let texts: Texts

    package init(accent: String, supportURL: String?, button: String, texts: Texts) {
        (self.accent, self.supportURL, self.button, self.texts) = (accent, supportURL, button, texts)
    }

    private static let soft = "margin:0 0 20px;color:#5b6472"

    /// Returns the HTML of a template with the values of its fields.
    package func html(_ template: MailTemplate, _ value: (MailField) -> String) -> String {
        let escape = HTMLContext.text.escape
        if let html = template.html {
            return html.filled { field in
                escape(value(field)).utf8.split(separator: 0x0A).map { String(Substring($0)) }
                    .joined(separator: "<br>\n")
            }
        }
        let last = template.paragraphs.lastIndex { if case .signature = $0 { false } else { true } }
        let paragraphs = template.paragraphs.indices.compactMap { index in
            paragraph(template.paragraphs[index], isLast: index == last, value)
        }
        let preview = template.paragraphs.lazy.compactMap { if case .text(let text) = $0 { text } else { nil } }.first
        let parts =
            [
                Self.paragraph(escape(value(.service)), "margin:0 0 16px;font-weight:600;color:#5b6472"),
                """
                <h1 style="margin:0 0 8px;font-size:22px;line-height:1.25">\
                \(escape(template.subject.withoutService.filled(value)))</h1>
                """,
            ] + paragraphs
        return """
            <!doctype html>
            <html lang="\(HTMLContext.attribute.escape(texts.language))"\(texts.isRightToLeft ? " dir=\"rtl\"" : "")>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="format-detection" content="telephone=no,date=no,address=no">
            <title>\(escape(template.subject.filled(value)))</title>
            <style>\(darkSheet)</style>
            <body style="margin:0;padding:20px;background:#f4f5f7;color:#1d2129;font:16px/1.5 system-ui,sans-serif">
            <div style="display:none;max-height:0;overflow:hidden">\(escape(preview?.filled(value) ?? ""))</div>
            <div class="card" style="max-width:400px;margin:0 auto;padding:32px;color:#1d2129;background:#ffffff;border:1px solid #d5d9e0;\
            border-radius:12px">
            \(parts.joined(separator: "\n"))
            </div>
            </body>
            </html>

            """
    }

    /// Returns the label and the address of the page about help.
    package static func supportText(_ url: String, texts: Texts) -> String {
        let shown = url.utf8.starts(with: "mailto:".utf8) ? String(Substring(url.utf8.dropFirst(7))) : url
        return texts(Phrase("mail.labeled", .phrase(Phrase("page.link.support")), .text(shown)))
    }

    private static func paragraph(_ html: String, _ style: String = soft, _ name: String = "soft") -> String {
        "<p class=\"\(name)\" style=\"\(style)\">\(html)</p>"
    }

    /// Returns the HTML of a paragraph; nil if nothing is in it.
    private func paragraph(
        _ paragraph: MailTemplate.Paragraph, isLast: Bool, _ value: (MailField) -> String
    ) -> String? {
        let escape = HTMLContext.text.escape
        switch paragraph {
        case .text(let text):
            let filled = text.filled(value)
            guard !filled.isEmpty else { return nil }
            return Self.paragraph(escape(filled), isLast ? "margin:0;color:#5b6472" : Self.soft)
        case .link(let label):
            let url = value(.link)
            let button = """
                <a class="button" href="\(HTMLContext.attribute.escape(url))" style="display:inline-block;padding:11px 20px;\
                font-weight:600;color:#ffffff;background:\(accent);border-radius:8px;text-decoration:none">\
                \(escape(label ?? button))</a>
                """
            return [
                Self.paragraph(button, "margin:0 0 20px", "action"),
                Self.paragraph(escape(url), "margin:0 0 20px;color:#5b6472;font-size:13px;word-break:break-all"),
            ].joined(separator: "\n")
        case .code:
            return Self.paragraph(
                escape(value(.code)), "margin:0 0 20px;font:600 28px/1.25 ui-monospace,monospace;letter-spacing:2px",
                "code")
        case .details:
            return Self.paragraph(
                value(.details).utf8.split(separator: 0x0A).map { escape(String(Substring($0))) }
                    .joined(separator: "<br>\n"),
                "margin:0 0 20px;padding:12px 16px;border:1px solid #d5d9e0;border-radius:8px", "facts")
        case .signature:
            // The name of the service is at the top.
            guard let supportURL else { return nil }
            return Self.paragraph(
                """
                <a class="soft" href="\(HTMLContext.attribute.escape(supportURL))" style="color:#5b6472">\
                \(escape(Self.supportText(supportURL, texts: texts)))</a>
                """,
                "margin:20px 0 0;font-size:13px")
        }
    }

    /// The style sheet of the dark, with the colors of the pages.
    private var darkSheet: String {
        """
        :root{color-scheme:light dark}
        @media(prefers-color-scheme:dark){
        body{background:#14161a!important;color:#e8eaee!important}
        .card{color:#e8eaee!important;background:#1d2026!important;border-color:#3a404b!important}
        .soft{color:#a3abb8!important}
        .facts{border-color:#3a404b!important}
        .button{color:#1d2026!important;background:\(PageStyle.dark(accent))!important}}
        """
    }
}

extension MailText {
    /// The text without `{{service}}: ` at its beginning, since the email shows the service above it.
    fileprivate var withoutService: MailText {
        guard pieces.first == .field(.service), case .text(let text)? = pieces.dropFirst().first,
            case let rest = text.trimmingSpace(), rest.utf8.first == UInt8(ascii: ":")
        else { return self }
        let title = String(Substring(rest.utf8.dropFirst()).trimmingSpace())
        return MailText((title.isEmpty ? [] : [.text(title)]) + pieces.dropFirst(2))
    }
}

extension MailTemplate {
    /// The content of a file with the HTML of the server, where fields stand for the values.
    package func htmlSource(_ purpose: OutboxMail.Purpose, texts: Texts) -> String {
        MailLayout(
            accent: PageStyle.accent, supportURL: nil, button: texts(Phrase("mail.\(purpose.rawValue).button")),
            texts: texts
        ).html(self) { $0.placeholder }
    }
}
