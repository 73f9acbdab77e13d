// SPDX-License-Identifier: Apache-2.0

import LatchIdentity

/// Takes the place of a mailer where none is configured: every mail fails, and the server counts it.
struct NoMailer: Mailer {
    func send(_ message: MailMessage) async throws { throw IdentityError.mailNotSent }
}
