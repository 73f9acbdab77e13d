// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchIdentity
import Synchronization

/// A mail server that takes its time until it is released.
package final class HangingMailer: Mailer {
    private let sent = Mutex<[MailMessage]>([])
    private let gate = AsyncStream.makeStream(of: Void.self)
    private let called = AsyncStream.makeStream(of: Void.self)

    package init() {}

    package var messages: [MailMessage] { sent.withLock { $0 } }
    package var count: Int { messages.count }

    package func send(_ message: MailMessage) async throws {
        called.continuation.finish()
        for await _ in gate.stream {}
        sent.withLock { $0.append(message) }
    }

    package func untilCalled() async {
        for await _ in called.stream {}
    }

    package func release() { gate.continuation.finish() }
}
