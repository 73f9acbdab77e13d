// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchHTTP
package import PortableFoundation

/// A mail to one recipient, as plain text and optionally as HTML.
public struct MailMessage: Sendable, Hashable {
    /// The unique part of the Message-ID, the same in every attempt, by which a repeated mail can be recognized.
    public let id: String
    /// The address of the recipient.
    public let recipient: String
    /// The subject, in ASCII.
    public let subject: String
    /// The plain text.
    public let text: String
    /// The same text as HTML; nil for a mail of plain text alone.
    public let html: String?

    /// Creates a mail.
    ///
    /// - Throws: `IdentityError.invalidEmail` if the recipient is not an address, `.invalidInput` if the subject or the id
    ///   is not one line of ASCII, so that no header field can be injected.
    public init(
        to recipient: String, subject: String, text: String, html: String? = nil,
        id: String = RandomSource.system.identifier()
    ) throws(IdentityError) {
        self.recipient = try EmailAddress(recipient).text
        guard !subject.isEmpty, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalidInput("the subject of a mail must be one line of ASCII")
        }
        guard id.isWord(maximum: 64, also: "-") else {
            throw .invalidInput("the id of a mail must be 1 to 64 ASCII letters, digits and hyphens")
        }
        self.subject = subject
        self.text = text
        self.html = html
        self.id = id
    }

    /// Returns the mail in the format of RFC 5322, its texts in quoted-printable (RFC 2045 §6.7).
    package func bytes(from sender: String, at date: Date) -> [UInt8] {
        let domain = sender.unicodeScalars.split(separator: "@").last.map { String($0) } ?? "localhost"
        let head = [
            // RFC 5322 §3.3; "GMT" is its obsolete form of the zone.
            "Date: \(HTTPDate(date).description.dropLast(3))+0000", "From: <\(sender)>", "To: <\(recipient)>",
            "Subject: \(subject)", "Message-ID: <\(id)@\(domain)>", "MIME-Version: 1.0",
            // RFC 3834 §5: prevents automatic responses such as vacation notices.
            "Auto-Submitted: auto-generated",
        ]
        return Array((head + content).joined(separator: "\r\n").utf8) + Array("\r\n".utf8)
    }

    /// The content with its header fields: one text, or both as alternatives, the better one last (RFC 2046 §5.1.4).
    private var content: [String] {
        guard let html else { return Self.part(text, "plain") }
        // RFC 2045 §6.7 (5): "=_" occurs in no quoted-printable text.
        let boundary = "=_\(id)"
        return ["Content-Type: multipart/alternative; boundary=\"\(boundary)\"", "", "--\(boundary)"]
            + Self.part(text, "plain") + ["--\(boundary)"] + Self.part(html, "html") + ["--\(boundary)--"]
    }

    private static func part(_ text: String, _ type: String) -> [String] {
        [
            "Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
            QuotedPrintable.encode(text),
        ]
    }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
    /// The subject; the text holds a token.
    public var description: String { "MailMessage(\(subject), redacted)" }

    /// A mirror of the subject alone.
    public var customMirror: Mirror { Mirror(self, children: ["subject": subject]) }
}
