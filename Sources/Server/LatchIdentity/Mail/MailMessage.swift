// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation
import LatchCore

/// A mail of plain text to one person.
public struct MailMessage: Sendable, Hashable {
    /// The address it goes to.
    public let recipient: String
    /// The subject, in ASCII.
    public let subject: String
    /// The text.
    public let text: String

    /// A mail.
    ///
    /// - Throws: `IdentityError.invalidInput` when the recipient is no address or the subject is not one line of ASCII,
    ///   so that nobody can write header fields into a mail.
    public init(to recipient: String, subject: String, text: String) throws(IdentityError) {
        self.recipient = try EmailAddress(recipient).text
        guard !subject.isEmpty, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalidInput("the subject of a mail must be one line of ASCII")
        }
        self.subject = subject
        self.text = text
    }

    /// The mail as it is sent (RFC 5322), its text in base64 (RFC 2045 §6.8), which leaves no byte of it to chance.
    package func bytes(from sender: String, at date: Date, id: String) -> [UInt8] {
        let domain = sender.split(separator: "@").last ?? "localhost"
        let head = [
            "Date: \(date.mailDate)", "From: <\(sender)>", "To: <\(recipient)>", "Subject: \(subject)",
            "Message-ID: <\(id)@\(domain)>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64",
            // RFC 3834 §5: nobody's vacation notice need answer.
            "Auto-Submitted: auto-generated", "",
        ]
        return Array((head + Self.lines(text)).joined(separator: "\r\n").utf8) + Array("\r\n".utf8)
    }

    /// RFC 2045 §6.8: lines of at most 76 characters.
    private static func lines(_ text: String) -> [String] {
        let encoded = Data(text.utf8).base64EncodedString()
        var rest = encoded[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(rest.prefix(76)))
            rest = rest.dropFirst(76)
        }
        return lines
    }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
    /// The subject; the text holds a token.
    public var description: String { "MailMessage(\(subject), redacted)" }

    /// A mirror that shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["subject": subject]) }
}

extension Date {
    /// RFC 5322 §3.3, in UTC.
    ///
    /// Written by hand: a formatter would follow the locale of the machine, and the names of days must be English.
    fileprivate var mailDate: String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: self)
        let two = { (value: Int?) in (value ?? 0) < 10 ? "0\(value ?? 0)" : "\(value ?? 0)" }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = "\(days[((parts.weekday ?? 1) - 1) % 7]), \(parts.day ?? 1) \(months[((parts.month ?? 1) - 1) % 12])"
        return "\(day) \(parts.year ?? 1970) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) +0000"
    }
}
