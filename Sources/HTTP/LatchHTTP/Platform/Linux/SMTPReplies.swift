// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LatchCore

/// The replies of a mail server in one session (RFC 5321 §4.2), as libcurl delivers them.
struct SMTPReplies {
    /// The code of the last reply; 0 if there was none.
    private(set) var code = 0
    /// The enhanced code of the last reply, such as `5.7.1` (RFC 3463); nil if it has none.
    private(set) var enhancedCode: String?
    /// Whether the server lets clients sign in (RFC 4954 §3).
    private(set) var offersSignIn = false
    /// The number of replies 250 since the greeting, or since TLS began: to EHLO, to MAIL, then to recipients.
    private var accepted = 0
    /// The words of the last reply in lower case, without addresses.
    private var words = ""

    /// Whether the server has accepted EHLO or HELO.
    var isGreeted: Bool { accepted > 0 }
    /// Whether the server has accepted the sender.
    var hasTakenSender: Bool { accepted > 1 }

    /// Reads the lines of a session.
    init(_ lines: [UInt8]) {
        for line in lines.split(separator: 0x0A) { read(line) }
    }

    private mutating func read(_ line: ArraySlice<UInt8>) {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        // The reply to QUIT, which libcurl also sends after a rejection (RFC 5321 §4.2.3).
        guard number != 221 else { return }
        let text = line.dropFirst(4)
        if number == 250, accepted == 0, String(decoding: text.prefix(4), as: UTF8.self).lowercasedASCII() == "auth" {
            offersSignIn = true
        }
        // All lines of a reply except the last one have a hyphen there.
        guard line.dropFirst(3).first != 0x2D else { return }
        code = number
        let first = text.prefix { $0 > 0x20 }
        let isEnhanced =
            first.split(separator: 0x2E, omittingEmptySubsequences: false).count == 3
            && first.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        enhancedCode = isEnhanced && first.count <= 9 ? String(decoding: first, as: UTF8.self) : nil
        words = Self.withoutAddresses(text)
        switch number {
        case 220: (accepted, offersSignIn) = (0, false)
        case 250: accepted += 1
        default: break
        }
    }

    /// The codes for messages and logs, such as `550 5.1.1`; the text can name an address.
    var codes: String { enhancedCode.map { "\(code) \($0)" } ?? "\(code)" }

    /// Whether a rejection concerns this server, its name or its sender, and not a recipient.
    var isAboutSender: Bool {
        guard hasTakenSender else { return true }
        // Syntax and order of commands, and a host without email (RFC 5321 §4.2.3, RFC 7504 §3).
        if (500...504).contains(code) || code == 521 { return true }
        if let enhancedCode, Self.isAboutSender(enhancedCode) { return true }
        return Self.signs.contains { words.utf8.firstRange(of: $0.utf8) != nil }
    }

    /// The words by which mail servers reject a client at its recipient, as Postfix does with all its restrictions.
    private static let signs = [
        "relay", "helo command", "ehlo", "sender", "client host", "authentication required", "not authenticated",
        "blocked using",
    ]

    /// Whether an enhanced code concerns protocol, sender or authenticity (RFC 3463 §3.2, §3.6, §3.8, RFC 7372 §3).
    private static func isAboutSender(_ enhanced: String) -> Bool {
        if enhanced.utf8.starts(with: "5.5.".utf8) { return true }
        return ["5.1.7", "5.1.8", "5.7.8", "5.7.9", "5.7.11"].contains(enhanced)
            || (20...27).contains { enhanced == "5.7.\($0)" }
    }

    /// Returns a text in lower case without the parts in angle brackets, where servers repeat an address.
    private static func withoutAddresses(_ text: ArraySlice<UInt8>) -> String {
        var (kept, isInside) = ([UInt8](), false)
        for byte in text {
            if byte == UInt8(ascii: "<") { isInside = true }
            if !isInside { kept.append(byte) }
            if byte == UInt8(ascii: ">") { isInside = false }
        }
        return String(decoding: kept, as: UTF8.self).lowercasedASCII()
    }
}
#endif
