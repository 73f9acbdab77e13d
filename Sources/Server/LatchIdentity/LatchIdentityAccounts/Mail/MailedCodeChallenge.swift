// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage

/// A mailed code that an app has asked for.
///
/// The app keeps it as an encrypted text, and sends it with the code. A reader of the email does not have the text, and
/// a reader of the text does not have the code.
package struct MailedCodeChallenge: Codable, Sendable, Hashable {
    /// What the code is for; it works for nothing else.
    package enum Purpose: String, Codable, Sendable, CaseIterable {
        case signIn = "sign_in"
        case signUp = "sign_up"

        var mail: OutboxMail.Purpose { self == .signIn ? .signInCode : .signUpCode }
    }

    /// The ID of the challenge in the store.
    package let id: String
    package let purpose: Purpose
    /// The address as the user typed it.
    package let email: String
    /// The time from which the text is invalid; the code ends earlier.
    package let expiresAt: Date

    package init(id: String, purpose: Purpose, email: EmailAddress, expiresAt: Date) {
        (self.id, self.purpose, self.email, self.expiresAt) = (id, purpose, email.text, expiresAt)
    }

    /// The time for which an app can ask for the same code again.
    package static let lifetime: TimeInterval = 3600
}

extension MailedCodeChallenge: Redacting {}

/// The encryption of a ``MailedCodeChallenge``.
package struct MailedCodeCipher: Sendable {
    private let cipher: ChallengeCipher<MailedCodeChallenge>

    package init(pepper: SymmetricKey) { cipher = ChallengeCipher("mailed code", prefix: "mc1.", pepper: pepper) }

    /// Returns the text for the app.
    package func seal(_ challenge: MailedCodeChallenge) throws(IdentityError) -> String { try cipher.seal(challenge) }

    /// Returns the challenge of a text.
    ///
    /// - Throws: `IdentityError.codeEnded` if the server did not create it for this purpose, or if it has expired.
    package func open(
        _ text: String, for purpose: MailedCodeChallenge.Purpose, at now: Date
    ) throws(IdentityError) -> MailedCodeChallenge {
        let challenge = try cipher.open(text)
        guard challenge.purpose == purpose, now < challenge.expiresAt else { throw .codeEnded }
        return challenge
    }
}
