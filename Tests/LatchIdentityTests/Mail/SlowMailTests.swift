// SPDX-License-Identifier: Apache-2.0

import IdentityTestSupport
import LatchCore
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity

@Suite(.timeLimit(.minutes(5))) struct SlowMailTests {
    /// A scanner may reply to some mails after minutes.
    @Test
    func `The queue of emails does not wait for recipients that the mail server takes minutes for`() async throws {
        let folder = try TemporaryFolder()
        let mailer = SlowMailer()
        var configuration = IdentityConfiguration()
        (configuration.argon2MemoryKiB, configuration.argon2Passes) = (64, 1)
        configuration.issuer = "https://id.example.com"
        let clock = ManualClock(noon)
        let identity = try await Identity(
            configuration: configuration, storePath: folder.file(), mailer: mailer, clock: clock.wallClock())
        for number in 0..<6 {
            _ = try await identity.accounts.signUp(email: "u\(number)@slow.example", password: Site.password)
        }
        try await eventually { mailer.waiting == 4 }
        _ = try await identity.accounts.signUp(email: "ada@example.com", password: Site.password)
        try await eventually { clock.sleepers.count { $0 == .seconds(30) } >= 4 }
        clock.advance(by: 30)
        try await eventually { mailer.sent.contains { $0.recipient == "ada@example.com" } }
        mailer.release()
        await identity.services.mails.flush()
        try await eventually { Set(mailer.sent.map(\.recipient)).count == 7 }
        await identity.close()
    }
}

/// A mail server that does not reply to the mails of one domain before it is told to.
private final class SlowMailer: Mailer {
    private struct State {
        var sent: [MailMessage] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isReleased = false
    }

    private let state = Mutex(State())

    var sent: [MailMessage] { state.withLock { $0.sent } }
    /// The number of mails whose reply is due.
    var waiting: Int { state.withLock { $0.waiting.count } }

    func send(_ message: MailMessage) async throws {
        if message.recipient.hasSuffix("@slow.example") {
            await withCheckedContinuation { continuation in
                let isReleased = state.withLock { state in
                    if !state.isReleased { state.waiting.append(continuation) }
                    return state.isReleased
                }
                if isReleased { continuation.resume() }
            }
        }
        state.withLock { $0.sent.append(message) }
    }

    func release() {
        let waiting = state.withLock { state in
            state.isReleased = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
