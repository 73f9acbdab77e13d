// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE

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

/// The encryption of a ``MailedCodeChallenge``, with a key derived from the server's pepper.
package struct MailedCodeCipher: Sendable {
    private let key: SymmetricKey
    private static let context = Array("latch mailed code 1".utf8)
    /// The prefix that distinguishes the text from tokens and other challenges (attack F4).
    private static let prefix = "mc1."
    /// The greatest length of a text.
    private static let greatestLength = 4096

    package init(pepper: SymmetricKey) { key = pepper.derived(for: "latch mailed code") }

    /// Returns the text for the app.
    package func seal(_ challenge: MailedCodeChallenge) throws(IdentityError) -> String {
        do {
            let box = try AES.GCM.seal(
                Array(try JSONEncoder().encode(challenge)), using: key, authenticating: Self.context)
            return Self.prefix + Base64URL.encode(Array(box.nonce) + Array(box.ciphertext) + Array(box.tag))
        } catch {
            throw .encryptionFailed
        }
    }

    /// Returns the challenge of a text.
    ///
    /// - Throws: `IdentityError.codeEnded` if the server did not create it for this purpose, or if it has expired.
    package func open(
        _ text: String, for purpose: MailedCodeChallenge.Purpose, at now: Date
    ) throws(IdentityError) -> MailedCodeChallenge {
        guard text.utf8.count <= Self.greatestLength, text.utf8.starts(with: Self.prefix.utf8) else { throw .codeEnded }
        let challenge: MailedCodeChallenge
        do {
            let box = try AES.GCM.SealedBox(combined: Base64URL.decode(text.dropFirst(Self.prefix.utf8.count)))
            let content = try AES.GCM.open(box, using: key, authenticating: Self.context)
            challenge = try JSONDecoder().decode(MailedCodeChallenge.self, from: Data(content))
        } catch {
            // The text was changed, or comes from another server.
            throw .codeEnded
        }
        guard challenge.purpose == purpose, now < challenge.expiresAt else { throw .codeEnded }
        return challenge
    }
}

extension MailedCodeCipher: Redacting {}
