// SPDX-License-Identifier: Apache-2.0

package import LatchIdentity
import Synchronization

/// A mail server that can be out of order.
package final class UnreliableMailer: Mailer {
    private let state = Mutex((isDown: false, losesReplies: false, refused: "", sent: [MailMessage](), attempts: 0))

    package init() {}

    package var sent: [MailMessage] { state.withLock { $0.sent } }
    package var attempts: Int { state.withLock { $0.attempts } }
    package func set(isDown: Bool) { state.withLock { $0.isDown = isDown } }
    /// Sends what follows, and reports that it was not sent.
    package func loseReplies() { state.withLock { $0.losesReplies = true } }
    /// Refuses the mails to an address for good.
    package func refuse(_ recipient: String) { state.withLock { $0.refused = recipient } }

    package func send(_ message: MailMessage) async throws {
        let error = state.withLock { state -> IdentityError? in
            state.attempts += 1
            if state.isDown { return .mailNotSent }
            if state.refused == message.recipient { return .mailRefused }
            state.sent.append(message)
            return state.losesReplies ? .mailNotSent : nil
        }
        if let error { throw error }
    }
}
