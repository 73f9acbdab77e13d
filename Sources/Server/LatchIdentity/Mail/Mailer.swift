// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A transport for mails.
public protocol Mailer: Sendable {
    /// Sends a mail.
    ///
    /// After an error the mail is sent again, and after a crash perhaps twice; ``MailMessage/id`` stays the same. The
    /// function must return within two minutes, since then another worker may send the mail again. ``Identity/close()``
    /// waits for it.
    func send(_ message: MailMessage) async throws
}

/// A mailer whose connection can be checked without a mail.
package protocol CheckableMailer: Mailer {
    /// Connects, signs in and names the sender, as for a mail, but sends no mail.
    func checkConnection() async throws
}

/// A mailer that stores mails in memory, for tests and demonstrations.
public final class MemoryMailer: Mailer {
    private let kept = Mutex<[MailMessage]>([])

    /// Creates a mailer without mails.
    public init() {}

    /// The sent mails, in order.
    public var messages: [MailMessage] { kept.withLock { $0 } }

    /// Stores the mail.
    public func send(_ message: MailMessage) async throws { kept.withLock { $0.append(message) } }
}

/// The mailer of a server without a configured mail server or folder.
struct UnconfiguredMailer: Mailer {
    /// Always fails, which the metric of failed mails shows.
    func send(_ message: MailMessage) async throws {
        throw IdentityError.mailNotSent("neither mail_directory nor smtp_url is set")
    }
}
