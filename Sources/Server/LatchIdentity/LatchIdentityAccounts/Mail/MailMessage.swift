// SPDX-License-Identifier: Apache-2.0

public import LatchCore
package import LatchFoundation
import LatchHTTP
public import LatchIdentityStorage

/// An email to one recipient, as plain text and optionally as HTML.
public struct MailMessage: Sendable, Hashable {
    /// The unique part of the Message-ID, the same in every attempt, so that a repeated email can be recognized.
    public let id: String
    /// The address of the recipient.
    public let recipient: String
    /// The subject, one line.
    public let subject: String
    /// The plain text.
    public let text: String
    /// The same text as HTML; nil for an email with only plain text.
    public let html: String?
    /// The language of the texts, as a BCP 47 tag; nil if it is not known.
    public let language: String?

    /// Creates an email.
    ///
    /// - Throws: `IdentityError.invalidEmail` if the recipient is not an address. `.invalidInput` if the subject is not
    ///   one line, the language is not a BCP 47 tag, or the ID is not a word of ASCII. So no header field can be
    ///   injected.
    public init(
        to recipient: String, subject: String, text: String, html: String? = nil, language: String? = nil,
        id: String = RandomSource.system.identifier()
    ) throws(IdentityError) {
        self.recipient = try EmailAddress(recipient).text
        guard !subject.isEmpty, subject.utf8.count <= 900, subject.isPlain else {
            throw .invalidInput("the subject of an email must be one line without control characters")
        }
        guard language?.isWord(maximum: 35, also: "-") ?? true else {
            throw .invalidInput("the language of an email must be a BCP 47 tag such as de")
        }
        guard id.isWord(maximum: 64, also: "-") else {
            throw .invalidInput("the id of an email must be 1 to 64 ASCII letters, digits and hyphens")
        }
        self.subject = subject
        self.text = text
        self.html = html
        self.language = language
        self.id = id
    }

    /// The encoding of the texts of an email.
    package enum Encoding: Sendable {
        /// Only ASCII: quoted-printable (RFC 2045 §6.7) and encoded words (RFC 2047), which every mail server accepts.
        case ascii
        /// Unencoded UTF-8 (RFC 6532), for files that developers read.
        case utf8
    }

    /// Returns the email in the format of RFC 5322.
    ///
    /// - Parameter sender: An address, or a name and an address.
    /// - Throws: `IdentityError.invalidSetting` if the sender is neither.
    package func bytes(
        from sender: String, at date: Date, as encoding: Encoding = .ascii
    ) throws(IdentityError) -> [UInt8] {
        guard let sender = Mailbox(sender) else { throw .invalidSetting("mail_sender", "an email address") }
        let domain = sender.address.unicodeScalars.split(separator: "@").last.map { String($0) } ?? "localhost"
        let subject = encoding == .utf8 || subject.isASCII ? subject : EncodedWord.encode(subject)
        let head = [
            // RFC 5322 §3.3; "GMT" is its obsolete form of the zone.
            "Date: \(HTTPDate(date).description.dropLast(3))+0000",
            "From: \(sender.fieldValue(allowingUTF8: encoding == .utf8))", "To: <\(recipient)>",
            "Subject: \(subject)", "Message-ID: <\(id)@\(domain)>", "MIME-Version: 1.0",
            // RFC 3834 §5: prevents automatic responses such as vacation notices.
            "Auto-Submitted: auto-generated", language.map { "Content-Language: \($0)" },
        ].compactMap(\.self)
        return Array((head + content(as: encoding)).joined(separator: "\r\n").utf8) + Array("\r\n".utf8)
    }

    /// Returns the content with its header fields: one text, or both with the HTML last (RFC 2046 §5.1.4).
    private func content(as encoding: Encoding) -> [String] {
        guard let html else { return Self.part(text, "plain", encoding) }
        // RFC 2045 §6.7 (5): "=_" occurs in no quoted-printable text, and the ID in no text of an email.
        let boundary = "=_\(id)"
        return ["Content-Type: multipart/alternative; boundary=\"\(boundary)\"", "", "--\(boundary)"]
            + Self.part(text, "plain", encoding) + ["--\(boundary)"] + Self.part(html, "html", encoding)
            + ["--\(boundary)--"]
    }

    private static func part(_ text: String, _ type: String, _ encoding: Encoding) -> [String] {
        let isASCII = encoding == .ascii
        return [
            "Content-Type: text/\(type); charset=utf-8",
            "Content-Transfer-Encoding: \(isASCII ? "quoted-printable" : "8bit")", "",
            isASCII ? QuotedPrintable.encode(text) : withCRLF(text),
        ]
    }

    /// Returns a text with the line ends of emails (RFC 5322 §2.3).
    private static func withCRLF(_ text: String) -> String {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(Substring($0.last == 0x0D ? $0.dropLast() : $0)) }.joined(separator: "\r\n")
    }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
    /// The subject; the text holds a token.
    public var description: String { "MailMessage(\(subject), redacted)" }

    /// A mirror that has only the subject.
    public var customMirror: Mirror { Mirror(self, children: ["subject": subject]) }
}
