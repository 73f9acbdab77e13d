// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
import LatchFoundation
import LatchHTTP
package import LatchIdentityStorage
import LatchTexts

/// A service that verifies the phone numbers of users by a code in a text message, which a hook sends.
package struct PhoneService: Sendable {
    package let configuration: IdentityConfiguration
    package let store: IdentityStore
    package let clock: WallClock
    package let dates: DateCheck
    package let random: RandomSource
    package let limits: RateLimits
    package let hooks: Hooks
    package let accessTokens: AccessTokenIssuer
    package let recentAuthentication: RecentAuthenticationRule
    private let tokens: MailedTokens
    private let cipher: ChallengeCipher<PhoneChallenge>

    package init(
        configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, dates: DateCheck,
        random: RandomSource, pepper: SymmetricKey, limits: RateLimits, hooks: Hooks, accessTokens: AccessTokenIssuer,
        recentAuthentication: RecentAuthenticationRule
    ) {
        (self.configuration, self.store, self.clock, self.dates) = (configuration, store, clock, dates)
        (self.random, self.limits, self.hooks, self.accessTokens) = (random, limits, hooks, accessTokens)
        self.recentAuthentication = recentAuthentication
        tokens = MailedTokens(pepper: pepper)
        cipher = ChallengeCipher("phone", prefix: "ph1.", pepper: pepper)
    }

    /// Whether users can verify a phone number.
    package var isAvailable: Bool { hooks.sendsTexts }

    /// Sends a code to a phone, and returns the challenge that it answers.
    ///
    /// The account keeps its number until the new one is verified.
    ///
    /// - Throws: `IdentityError.phonesUnavailable`, `.invalidPhone`, `.signInAgain`, `.forbidden` for another client's
    ///   token, `.tooManyAttempts`, `.hookUnavailable`, `.doubtfulDate`, or a store's error.
    package func begin(
        _ typed: String, for session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        try require(session)
        try dates.require()
        let phone = try PhoneNumber(typed)
        let prefixes = configuration.phonePrefixes
        guard prefixes.isEmpty || prefixes.contains(where: { phone.text.utf8.starts(with: $0.utf8) }) else {
            throw .invalidPhone.with(
                message: "This server sends no text messages to this country.",
                hint: "Use a number that begins with \(prefixes.joined(separator: ", ")).")
        }
        // A text that was not sent counts, too: the program may have sent it before it failed.
        try limits.take(limits.text(to: phone, of: session.accountID, from: origin.address))
        let challenge = AddressChallenge(
            id: random.identifier(), accountID: session.accountID,
            expiresAt: clock.now.addingTimeInterval(AddressChallenge.lifetime))
        try await store.insert(phone: challenge)
        try await hooks.send(message(to: phone, code: tokens.code(of: challenge.id), in: origin.language))
        return try cipher.seal(PhoneChallenge(id: challenge.id, phone: phone.text))
    }

    /// Verifies the number of a challenge by its code.
    ///
    /// - Returns: The account with the number.
    /// - Throws: `IdentityError.invalidMailedCode`, after which the user can try again; `.codeEnded`,
    ///   `.phonesUnavailable`, `.signInAgain`, `.forbidden`, `.tooManyAttempts`, `.invalidToken`, `.doubtfulDate`, or a
    ///   store's error.
    package func verify(
        _ code: String, of text: String, for session: AuthenticatedSession
    ) async throws(IdentityError) -> Account {
        try require(session)
        try dates.require()
        let challenge = try cipher.open(text)
        let attempt = limits.textCode(of: session.accountID)
        try limits.take([attempt])
        let failure = try await store.verify(
            phone: PhoneNumber(text: challenge.phone), of: session.accountID, on: session.device.id,
            by: challenge.id, isRight: tokens.isCode(code, of: challenge.id), at: clock.now)
        if let failure { throw failure == .wrong ? .invalidMailedCode : .codeEnded }
        limits.refund([attempt])
        guard let account = try await store.account(id: session.accountID) else { throw .invalidToken }
        return account
    }

    /// Removes the number of an account.
    ///
    /// - Throws: `IdentityError.signInAgain`, `.forbidden`, `.invalidToken`, or a store's error.
    package func remove(for session: AuthenticatedSession) async throws(IdentityError) {
        try session.requireFirstParty()
        try recentAuthentication.require(session)
        try await store.removePhone(of: session.accountID, on: session.device.id, at: clock.now)
    }

    /// Returns the number that a challenge verifies, for the page that asks for the code.
    package func phone(of text: String) throws(IdentityError) -> String { try cipher.open(text).phone }

    private func require(_ session: AuthenticatedSession) throws(IdentityError) {
        guard isAvailable else { throw .phonesUnavailable }
        try session.requireFirstParty()
        try recentAuthentication.require(session)
    }

    /// Returns the message in the user's language.
    ///
    /// Its last line is for phones that fill codes in for one host only (Apple's domain-bound codes, WebOTP §3).
    private func message(to phone: PhoneNumber, code: String, in language: String?) -> IdentityHooks.TextMessage {
        let texts = Texts(languages: [language, configuration.defaultLanguage].compactMap(\.self))
        var text = texts(Phrase("page.account.phone.message", .text(configuration.serviceName), .text(code)))
        if let host = accessTokens.issuer.flatMap({ PublicURL.host(of: $0) }) { text += "\n\n@\(host) #\(code)" }
        return IdentityHooks.TextMessage(verifying: phone, code: code, text: text, language: texts.language)
    }
}

/// A number that waits for the code of its text message.
private struct PhoneChallenge: Codable, Sendable {
    /// The ID of the challenge in the store.
    let id: String
    let phone: String
}

extension PhoneChallenge: Redacting {}
