// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE
import LatchTexts

/// The content of emails under one configuration: the texts, and the tokens of the links.
package struct MailContent: Sendable {
    package let accessTokens: AccessTokenIssuer
    package let tokens: MailedTokens
    package let configuration: IdentityConfiguration
    /// The hook that may send emails.
    package let hooks: Hooks

    package init(
        accessTokens: AccessTokenIssuer, tokens: MailedTokens, configuration: IdentityConfiguration, hooks: Hooks
    ) {
        self.accessTokens = accessTokens
        self.tokens = tokens
        self.configuration = configuration
        self.hooks = hooks
    }

    /// Whether the issuer is known, which all links begin with.
    var isReady: Bool { accessTokens.issuer != nil }

    /// Returns the claim for taking the next email.
    package func claim(at now: Date, leaseEnd: Date) -> MailClaim {
        MailClaim(
            now: now, leaseEnd: leaseEnd,
            verificationEnd: now.addingTimeInterval(configuration.verificationLifetime.inSeconds),
            resetEnd: now.addingTimeInterval(configuration.resetLifetime.inSeconds),
            hasPasswords: configuration.permits(.password), digest: tokens.digest)
    }

    package func message(for claimed: ClaimedMail, to recipient: EmailAddress) throws(IdentityError) -> MailMessage {
        let mail = claimed.mail
        let providers = configuration.upstreams.filter { claimed.providers.contains($0.name) }
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let texts = Texts(languages: [mail.cause.language, configuration.defaultLanguage].compactMap(\.self))
        let challengeID =
            mail.purpose == .verifyEmail ? AddressChallenge.id(ofToken: tokens.digest(of: mail.id)) : mail.challengeID
        let composed = ComposedMail(
            mail.purpose, to: recipient.text, token: tokens.token(of: mail.id), code: tokens.code(of: challengeID),
            issuer: issuer, providers: providers.map(\.displayName), at: mail.createdAt, causedBy: mail.cause,
            configuration: configuration, texts: texts)
        return try MailMessage(
            to: recipient.text, subject: composed.subject, text: composed.text, html: composed.html,
            language: texts.language, id: tokens.messageID(of: mail.id))
    }
}

/// The tokens in mailed links, each derived from the ID of its email (RFC 5869), so that no store holds them.
///
/// The ID stays in the store. The Message-ID, which mail servers log, is a separate derivation and reveals no token.
package struct MailedTokens: Sendable {
    private let key: SymmetricKey

    package init(pepper: SymmetricKey) { key = pepper.derived(for: "latch mailed token") }

    /// Returns the text of the token of an email.
    package func token(of id: String) -> String {
        key.derived(for: id).withUnsafeBytes { Base64URL.encode(Array($0)) }
    }

    /// Returns the unique part of the Message-ID of an email: 32 hexadecimal digits, the same in every attempt.
    package func messageID(of id: String) -> String {
        key.derived(for: "message id \(id)").withUnsafeBytes { Hex.encode(Array($0.prefix(16))) }
    }

    /// Returns the ID of the email that a form causes, from a text that identifies the form and the recipient.
    func id(ofForm text: String) -> String {
        key.derived(for: "form \(text)").withUnsafeBytes { Hex.encode(Array($0.prefix(16))) }
    }

    /// Returns the code of a challenge: six digits that a user can type.
    package func code(of challengeID: String) -> String {
        let number = key.derived(for: "code \(challengeID)").withUnsafeBytes { bytes in
            bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    /// Returns whether a typed text is the code of a challenge; spaces and hyphens are ignored.
    package func isCode(_ typed: String, of challengeID: String) -> Bool {
        typed.utf8.count <= 64 && typed.typedCode.utf8.elementsEqual(code(of: challengeID).utf8)
    }

    /// Returns the SHA-256 digest of the token of an email.
    package func digest(of id: String) -> [UInt8] { token(of: id).digest }
}

extension MailedTokens: Redacting {}
