// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

@testable import LatchIdentity

/// A mail server that takes its time until it is released.
final class HangingMailer: Mailer {
    private let sent = Mutex<[MailMessage]>([])
    private let gate = AsyncStream.makeStream(of: Void.self)
    private let called = AsyncStream.makeStream(of: Void.self)

    var messages: [MailMessage] { sent.withLock { $0 } }
    var count: Int { messages.count }

    func send(_ message: MailMessage) async throws {
        called.continuation.finish()
        for await _ in gate.stream {}
        sent.withLock { $0.append(message) }
    }

    func untilCalled() async {
        for await _ in called.stream {}
    }

    func release() { gate.continuation.finish() }
}
