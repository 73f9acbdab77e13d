// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Takes mails on their way.
public protocol Mailer: Sendable {
    /// Sends a mail, or throws when it could not be handed on; it is then tried again.
    func send(_ message: MailMessage) async throws
}

/// A mailer that keeps mails in memory, for tests and demonstrations.
public final class MemoryMailer: Mailer {
    private let kept = Mutex<[MailMessage]>([])

    /// A mailer without mails.
    public init() {}

    /// The mails so far, in the order in which they were sent.
    public var messages: [MailMessage] { kept.withLock { $0 } }

    /// Keeps the mail.
    public func send(_ message: MailMessage) async throws { kept.withLock { $0.append(message) } }
}
