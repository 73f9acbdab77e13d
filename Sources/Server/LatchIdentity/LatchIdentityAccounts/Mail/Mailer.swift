// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchIdentityStorage
import Synchronization

/// A transport for emails.
public protocol Mailer: Sendable {
    /// Sends an email.
    ///
    /// After an error the email is sent again, and after a crash perhaps twice; ``MailMessage/id`` stays the same. The
    /// function must return within two minutes, since then another worker may send the email again.
    /// ``Identity/close()`` waits for it.
    func send(_ message: MailMessage) async throws
}

/// A mailer whose connection can be checked without an email.
package protocol CheckableMailer: Mailer {
    /// Connects, signs in and names the sender, as for an email, but sends no email.
    func checkConnection() async throws
}

/// A mailer that stores emails in memory, for tests and demonstrations.
public final class MemoryMailer: Mailer {
    private let kept = Mutex<[MailMessage]>([])

    /// Creates a mailer without emails.
    public init() {}

    /// The sent emails, in order.
    public var messages: [MailMessage] { kept.withLock { $0 } }

    /// Stores the email.
    public func send(_ message: MailMessage) async throws { kept.withLock { $0.append(message) } }
}

/// The mailer of a server without a configured mail server or folder.
package struct UnconfiguredMailer: Mailer {
    /// Always fails, which the metric of failed emails shows.
    package func send(_ message: MailMessage) async throws {
        throw IdentityError.mailNotSent("neither mail_directory nor smtp_url is set")
    }
}
