// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import PortableFoundation

/// A plain-text mail to one recipient.
public struct MailMessage: Sendable, Hashable {
    /// The address of the recipient.
    public let recipient: String
    /// The subject, in ASCII.
    public let subject: String
    /// The text.
    public let text: String

    /// Creates a mail.
    ///
    /// - Throws: `IdentityError.invalidEmail` if the recipient is not an address, `.invalidInput` if the subject is not one
    ///   line of ASCII, so that no header field can be injected.
    public init(to recipient: String, subject: String, text: String) throws(IdentityError) {
        self.recipient = try EmailAddress(recipient).text
        guard !subject.isEmpty, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalidInput("the subject of a mail must be one line of ASCII")
        }
        self.subject = subject
        self.text = text
    }

    /// Returns the mail in the format of RFC 5322, its text in base64 (RFC 2045 §6.8).
    package func bytes(from sender: String, at date: Date, id: String) -> [UInt8] {
        let domain = sender.unicodeScalars.split(separator: "@").last.map { String($0) } ?? "localhost"
        let head = [
            // RFC 5322 §3.3; "GMT" is its obsolete form of the zone.
            "Date: \(HTTPDate(date).description.dropLast(3))+0000", "From: <\(sender)>", "To: <\(recipient)>",
            "Subject: \(subject)",
            "Message-ID: <\(id)@\(domain)>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64",
            // RFC 3834 §5: prevents automatic responses such as vacation notices.
            "Auto-Submitted: auto-generated", "",
        ]
        return Array((head + Self.lines(text)).joined(separator: "\r\n").utf8) + Array("\r\n".utf8)
    }

    /// Returns the text in base64, in lines of at most 76 characters (RFC 2045 §6.8).
    private static func lines(_ text: String) -> [String] {
        var rest = Data(text.utf8).base64EncodedData()[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(decoding: rest.prefix(76), as: UTF8.self))
            rest = rest.dropFirst(76)
        }
        return lines
    }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
    /// The subject; the text holds a token.
    public var description: String { "MailMessage(\(subject), redacted)" }

    /// A mirror of the subject alone.
    public var customMirror: Mirror { Mirror(self, children: ["subject": subject]) }
}
