// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import LatchIdentityStorage
public import LatchCore
import LatchHTTP
import LatchServer

/// A mailer that submits emails to a mail server (RFC 6409), encrypted unless the server is on this machine.
public struct SMTPMailer: Mailer {
    private let url: String
    private let sender: Mailbox
    private let submission: SMTPSubmission
    private let clock: WallClock

    /// Creates a mailer for a server such as `smtps://user:password@mail.example.com`.
    ///
    /// - Parameters:
    ///   - url: The URL of the server; its user and password are percent-encoded.
    ///   - sender: An address, or a name and an address such as `Acme <no-reply@example.com>`.
    ///   - clock: The clock of the emails' dates.
    /// - Throws: `IdentityError.invalidSetting` if the URL is not that of a mail server, or the sender is not valid.
    public init(url: String, sender: String, clock: WallClock = .system) throws(IdentityError) {
        try self.init(url: url, sender: sender, helloName: nil, clock: clock, trusting: nil)
    }

    /// Creates a mailer.
    ///
    /// - Parameters:
    ///   - helloName: The name of this machine for the server; nil for the system's name.
    ///   - authorityFile: The PEM file of the authorities for the server's certificate; nil for the system's.
    package init(
        url: String, sender: String, helloName: String?, clock: WallClock, trusting authorityFile: String?
    ) throws(IdentityError) {
        let parts: (url: String, user: String?, password: String?)
        do throws(SettingProblem) { parts = try Self.parts(of: url) } catch { throw .invalidSetting("smtp_url", error) }
        self.url = parts.url
        guard let sender = Mailbox(sender) else { throw .invalidSetting("mail_sender", "an email address") }
        self.sender = sender
        submission = SMTPSubmission(
            user: parts.user, password: parts.password, helloName: helloName,
            certificateAuthorityFile: authorityFile)
        self.clock = clock
    }

    /// Returns the URL without the credentials, and these, decoded.
    package static func parts(of url: String) throws(SettingProblem) -> (url: String, user: String?, password: String?)
    {
        guard let separator = url.utf8.firstRange(of: "://".utf8),
            ["smtp", "smtps"].contains(url[..<separator.lowerBound].lowercasedASCII())
        else { throw .expected("a URL such as smtps://user:password@mail.example.com") }
        let rest = url[separator.upperBound...]
        let at = rest.utf8.lastIndex(of: UInt8(ascii: "@"))
        let credentials = rest.utf8[..<(at ?? rest.startIndex)]
        let parts = credentials.split(separator: UInt8(ascii: ":"), maxSplits: 1).map {
            percentDecoded($0, plusIsSpace: false)
        }
        guard parts.allSatisfy({ $0 != nil }) else {
            throw .expected("a URL whose user and password are percent-encoded")
        }
        let host = at.map { rest[rest.utf8.index(after: $0)...] } ?? rest
        let server = String(url[..<separator.upperBound] + host)
        do throws(HTTPError) { try SMTPSubmission.check(server) } catch {
            throw .expected("a URL such as smtps://user:password@mail.example.com, without a path")
        }
        return (server, parts.first ?? nil, parts.count > 1 ? parts[1] : nil)
    }

    /// Submits the email.
    ///
    /// - Throws: `IdentityError.mailRefused` for a permanent refusal, `.mailNotSent` for any other failure.
    public func send(_ message: MailMessage) async throws {
        let bytes = try message.bytes(from: sender.text, at: clock.now)
        do throws(HTTPError) {
            try await submission.send(message: bytes, from: sender.address, to: [message.recipient], via: url)
        } catch {
            if error.code == HTTPError.mailRefusedCode {
                throw IdentityError.mailRefused.with(message: error.message, hint: IdentityError.mailRefused.hint)
            }
            throw IdentityError.mailNotSent(error.message)
        }
    }
}

extension SMTPMailer: CheckableMailer {
    package func checkConnection() async throws {
        try await submission.checkConnection(from: sender.address, to: url)
    }
}

extension SMTPMailer: CustomStringConvertible, CustomReflectable {
    /// The URL of the server, without the credentials.
    public var description: String { "SMTPMailer(\(url))" }

    /// A mirror of the URL, without the credentials.
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
#endif
