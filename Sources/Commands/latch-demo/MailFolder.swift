// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// The folder into which the server writes emails.
struct MailFolder: Sendable {
    let path: String

    /// Waits for an email with this subject, for at most half a minute, and returns the token in its link.
    ///
    /// - Parameters:
    ///   - address: The recipient.
    ///   - amongOthers: Whether other recipients may also have such an email.
    /// - Throws: `DemoFailure` if no email came, it went to another address, or it has no link.
    func token(subject: String, to address: String, amongOthers: Bool = false) async throws -> String {
        try await wait(for: "no email '\(subject)' arrived") {
            for name in try names().reversed() {
                guard let mail = try Self.mail(path + "/" + name), mail.head.contains("Subject: \(subject)") else {
                    continue
                }
                guard mail.head.contains("To: <\(address)>") else {
                    if amongOthers { continue }
                    throw DemoFailure("the email has another recipient")
                }
                let link = try require(mail.text.firstRange(of: "token="), "the email has no link")
                return String(mail.text[link.upperBound...].prefix { !$0.isWhitespace && $0 != "&" })
            }
            return nil
        }
    }

    /// Returns the names of the emails, which begin with the time of the email.
    private func names() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".eml") }.sorted()
    }

    /// Returns the header of an email and its plain text, which is the first part.
    private static func mail(_ path: String) throws -> (head: String, text: String)? {
        let whole = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        guard let gap = whole.firstRange(of: "\r\n\r\n") else { return nil }
        let begin = try require(whole.firstRange(of: ": 8bit\r\n\r\n"), "an email cannot be read")
        let part = whole[begin.upperBound...]
        return (
            String(whole[..<gap.lowerBound]),
            String(part[..<(part.firstRange(of: "\r\n--=_")?.lowerBound ?? part.endIndex)])
        )
    }
}
