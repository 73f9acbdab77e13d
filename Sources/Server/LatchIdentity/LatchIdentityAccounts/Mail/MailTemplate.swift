// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage
package import LatchTexts

/// The text of the emails of one purpose in one language: the catalog's, or that of a file of the operator.
///
/// The file is a line `Subject: …`, an empty line, and paragraphs between empty lines. Where a paragraph is nothing but
/// a link, a code or details, the HTML shows it as a button, in large digits or in a frame.
package struct MailTemplate: Sendable, Hashable {
    package let subject: MailText
    package let paragraphs: [Paragraph]
    /// The HTML of the operator; nil for the layout of the server.
    package let html: MailText?

    package enum Paragraph: Sendable, Hashable {
        case text(MailText)
        /// A link as a button, with its label; nil for that of the catalog.
        case link(label: String?)
        case code
        case details
        /// The name of the service and the page about help.
        case signature(MailText)
    }

    /// Creates the text of the catalog: `mail.PURPOSE.subject`, `.introduction` and `.closing`.
    ///
    /// Their arguments are the name of the service, the recipient, and the time for which the link is valid.
    package init(_ purpose: OutboxMail.Purpose, texts: Texts) {
        func field(_ field: MailField) -> Phrase.Argument { .text(field.placeholder) }
        func text(_ part: String) -> String {
            texts(
                Phrase("mail.\(purpose.rawValue).\(part)", field(.service), field(.recipient), field(.lifetime)))
        }
        let title = MailText(text("subject"))
        subject =
            title.fields.contains(.service)
            ? title : MailText(texts(Phrase("mail.labeled", field(.service), .text(text("subject")))))
        let isAboutAccount = purpose.page == .account
        let link: Paragraph? =
            purpose.page.map { _ in .link(label: isAboutAccount ? texts(Phrase("mail.account.button")) : nil) }
        let details: Paragraph? = purpose.describesCause ? .details : nil
        let introduction = Paragraph.text(MailText(text("introduction")))
        let codeIntroduction: Paragraph? =
            purpose.fields.contains(.codePage)
            ? .text(MailText(texts(Phrase("mail.verifyEmail.code", field(.codePage))))) : nil
        let code: Paragraph? = purpose.fields.contains(.code) ? .code : nil
        let providers: Paragraph? =
            purpose.fields.contains(.providers) ? .text(MailText(MailField.providers.placeholder)) : nil
        let closing = Paragraph.text(MailText(text("closing")))
        paragraphs = [
            introduction, isAboutAccount ? details : link, codeIntroduction, code, isAboutAccount ? link : details,
            providers, closing, .signature(Self.signature),
        ].compactMap(\.self)
        html = nil
    }

    private static let signature = MailText([.field(.service), .text("\n"), .field(.support)])

    /// Parses the files of an operator.
    ///
    /// - Parameters:
    ///   - text: The text with its subject.
    ///   - html: A whole HTML document with the same fields; nil for the layout of the server.
    package init(_ purpose: OutboxMail.Purpose, text: String, html: String?) throws(MailTemplateProblem) {
        let lines = Self.lines(text)
        let prefix = "Subject: "
        guard let first = lines.first, first.utf8.starts(with: prefix.utf8),
            case let subject = String(first.utf8.dropFirst(prefix.utf8.count)) ?? "", !subject.isEmpty,
            subject.utf8.count <= Self.longestSubject, subject.isPlain
        else { throw .subject }
        guard lines.count > 2, lines[1].isEmpty else { throw .noText }
        let paragraphs = lines.dropFirst(2).split(separator: "").map { MailText($0.joined(separator: "\n")) }
        guard !paragraphs.isEmpty else { throw .noText }
        self.subject = try MailText(subject).checked(purpose)
        // The code and the link are for the recipient alone, and mail programs show subjects on locked screens. The
        // others are long.
        let fields = self.subject.fields
        guard Set(fields).isSubset(of: Self.subjectFields), Set(fields).count == fields.count else {
            throw .subjectFields
        }
        self.paragraphs = try paragraphs.map { paragraph throws(MailTemplateProblem) in
            Paragraph(try paragraph.checked(purpose))
        }
        self.html = try html.map { text throws(MailTemplateProblem) in try MailText(text).checked(purpose, isHTML: true)
        }
        if let required = purpose.requiredField {
            guard paragraphs.contains(where: { $0.fields.contains(required) }) else { throw .missing(required) }
            guard self.html.map({ $0.fields.contains(required) }) ?? true else { throw .missingInHTML(required) }
        }
    }

    private static let longestSubject = 200
    fileprivate static let subjectFields: Set<MailField> = [.service, .recipient, .lifetime]

    /// Returns the lines without the spaces and returns at their ends, so that one of spaces separates paragraphs.
    private static func lines(_ text: String) -> [String] {
        text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            let end = line.lastIndex { ![0x20, 0x09, 0x0D].contains($0) }.map(line.index(after:)) ?? line.startIndex
            return String(Substring(line[..<end]))
        }
    }

    /// The content of a file with this text.
    package var source: String {
        let placeholder: (MailField) -> String = { $0.placeholder }
        return "Subject: \(subject.filled(placeholder))\n\n" + text(placeholder)
    }

    /// Returns the plain text with the values of its fields.
    package func text(_ value: (MailField) -> String) -> String {
        paragraphs.compactMap { $0.text(value) }.joined(separator: "\n\n") + "\n"
    }
}

extension MailTemplate.Paragraph {
    private static let signature: Set<MailText.Piece> = [.text("\n"), .field(.service), .field(.support)]

    /// Recognizes the kind of a paragraph.
    fileprivate init(_ text: MailText) {
        self =
            switch text.pieces {
            case [.field(.link)]: .link(label: nil)
            case [.field(.code)]: .code
            case [.field(.details)]: .details
            case let pieces where pieces.allSatisfy({ Self.signature.contains($0) }):
                .signature(text)
            default: Self.label(of: text).map { .link(label: $0) } ?? .text(text)
            }
    }

    /// Returns the label of a link: a line that ends with a colon, before the line of the link.
    private static func label(of text: MailText) -> String? {
        let end = ":\n"
        guard text.pieces.count == 2, text.pieces[1] == .field(.link), case .text(let line) = text.pieces[0],
            line.utf8.count > end.utf8.count, line.utf8.suffix(end.utf8.count).elementsEqual(end.utf8),
            line.utf8.count(where: { $0 == 0x0A }) == 1
        else { return nil }
        return String(Substring(line.utf8.dropLast(end.utf8.count)).trimmingSpace())
    }

    /// Returns the plain text; nil if all of its fields are empty and nothing else is in it.
    fileprivate func text(_ value: (MailField) -> String) -> String? {
        switch self {
        case .text(let text), .signature(let text):
            let pieces = text.pieces
            guard pieces.allSatisfy({ $0 == .text("\n") || $0.field != nil }) else { return text.filled(value) }
            let shown = text.fields.map(value).filter { !$0.isEmpty }
            return shown.isEmpty ? nil : shown.joined(separator: "\n")
        case .link(let label):
            return [label.map { "\($0):" }, value(.link)].compactMap(\.self).joined(separator: "\n")
        case .code: return value(.code)
        case .details: return value(.details)
        }
    }
}

extension MailText {
    /// Returns the text if all of its fields have a value in emails of the purpose.
    fileprivate func checked(_ purpose: OutboxMail.Purpose, isHTML: Bool = false) throws(MailTemplateProblem)
        -> MailText
    {
        for case .text(let text) in pieces {
            guard let start = text.utf8.firstRange(of: "{{".utf8)?.lowerBound else { continue }
            let end = text[start...].utf8.firstRange(of: "}}".utf8)?.upperBound
            throw .unknown(
                String(text[start..<(end ?? text.endIndex)]).sanitized(40) ?? "{{", purpose, isInHTML: isHTML)
        }
        if let other = MailField.allCases.first(where: { fields.contains($0) && !purpose.fields.contains($0) }) {
            throw .unknown(other.placeholder, purpose, isInHTML: isHTML)
        }
        return self
    }
}

/// Why a template cannot be used.
package enum MailTemplateProblem: Error, Sendable, Hashable {
    case subject
    case noText
    /// A field that does not exist, or has no value in these emails.
    case unknown(String, OutboxMail.Purpose, isInHTML: Bool)
    case missing(MailField)
    case missingInHTML(MailField)
    /// A field that a subject must not have, or has twice.
    case subjectFields

    /// Whether the problem is in the HTML.
    var isInHTML: Bool {
        switch self {
        case .missingInHTML, .unknown(_, _, isInHTML: true): true
        default: false
        }
    }

    /// What is wrong with the file, for the end of a sentence.
    package var text: String {
        switch self {
        case .subject: "it must begin with 'Subject: ' and at most 200 bytes of text"
        case .noText: "an empty line and a text must follow its subject"
        case .unknown(let text, let purpose, _):
            "'\(text)' has no value in it, only \(purpose.fields.map(\.placeholder).joined(separator: ", "))"
        case .missing(let field), .missingInHTML(let field): "\(field.placeholder) is missing"
        case .subjectFields: "its subject can have {{service}}, {{recipient}} and {{lifetime}}, each once"
        }
    }
}
