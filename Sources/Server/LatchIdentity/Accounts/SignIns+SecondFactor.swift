// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchJOSE

extension SignIns {
    /// For how long a login may wait for its second factor.
    static let challengeLifetime: TimeInterval = 300
    /// Opaque, and unlike a token of either kind: whatever takes tokens refuses it (attack F4).
    private static let challengePrefix = "lc1."

    /// Keeps that the password was right, and gives out by what to go on.
    func challenge(
        _ account: Account, scopes: Scopes, isRemembered: Bool
    ) async throws(IdentityError) -> Step {
        let text = Self.challengePrefix + Base64URL.encode(parts.random.bytes(32))
        let now = parts.clock.now
        let challenge = SignInChallenge(
            digest: Self.digest(text), accountID: account.id, passwordChangedAt: account.passwordChangedAt, appID: nil,
            scope: scopes.text, isRemembered: isRemembered, createdAt: now,
            expiresAt: now.addingTimeInterval(Self.challengeLifetime))
        try await parts.store.insert(challenge)
        return .challenged(text: text, challenge)
    }

    /// Whether the text can be a challenge, and not an access token.
    static func isChallenge(_ text: String) -> Bool { text.hasPrefix(challengePrefix) }

    /// Signs in the device whose password was checked before, by the second factor.
    ///
    /// - Throws: `IdentityError.invalidToken` where the challenge has ended, `.invalidCode`, `.tooManyAttempts`, or a
    ///   store's error.
    func complete(
        challenge text: String, code: String, from origin: Origin
    ) async throws(IdentityError) -> Grant {
        let now = parts.clock.now
        guard Self.isChallenge(text), text.utf8.count < 100,
            let challenge = try await parts.store.challenge(Self.digest(text), at: now),
            let account = try await parts.store.account(id: challenge.accountID), account.status == .active,
            // A password that was reset meanwhile is not the one that was right.
            account.passwordChangedAt == challenge.passwordChangedAt
        else { throw .invalidToken }
        try await prove(code, of: account.id, from: origin, ending: challenge.digest)
        let scopes = parts.scopes.allowed(
            Scopes(parsing: challenge.scope), to: account, by: parts.apps.firstParty)
        return try await open(
            account, from: origin, by: nil, scopes: scopes, isRemembered: challenge.isRemembered, factorAt: now)
    }

    /// Uses up a code of the authenticator app, or a recovery code.
    ///
    /// The code is compared here and judged in the store's transaction, where it is known whether it was used before and
    /// how many were wrong.
    ///
    /// - Parameter challenge: The digest of the challenge that it ends; nil where there is none.
    /// - Throws: `IdentityError.invalidCode`, the same for every cause; `.tooManyAttempts`, or a store's error.
    func prove(
        _ typed: String, of accountID: String, from origin: Origin, ending challenge: [UInt8]? = nil
    ) async throws(IdentityError) {
        let attempt = parts.limits.secondFactor(of: accountID, address: origin.address)
        if let refusal = parts.limiter.take([attempt], at: parts.clock.now) { throw .tooManyAttempts(refusal) }
        guard let factor = try await parts.store.secondFactor(of: accountID, isConfirmed: true),
            let proof = try proof(typed, for: factor)
        else { throw .invalidCode }
        try judge(
            try await parts.store.prove(proof, of: accountID, ending: challenge, at: parts.clock.now))
        parts.limiter.giveBack([attempt])
    }

    /// What was typed, compared with the factor; nil where it looks like nothing that is one.
    func proof(_ typed: String, for factor: SecondFactor) throws(IdentityError) -> FactorProof? {
        if let code = RecoveryCode(typed: typed) { return .recovery(digest: code.digest(for: factor.accountID)) }
        let digits = typed.filter { $0 != " " }
        guard digits.utf8.count == TimeCode.digits, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let secret = try FactorSeal(pepper: parts.pepper).open(factor.sealedSecret, of: factor.accountID)
        let step = TimeCode.matchingStep(digits, secret, at: parts.clock.now)
        return .code(step: step, sealedSecret: factor.sealedSecret)
    }

    /// Counts how a proof ended, and throws where it did not end well.
    func judge(_ verdict: FactorVerdict) throws(IdentityError) {
        switch verdict {
        case .accepted:
            parts.metrics.count("latch_second_factors_total", ["result": "accepted"])
        case .refused:
            parts.metrics.count("latch_second_factors_total", ["result": "refused"])
            throw .invalidCode
        case .locked(let end):
            parts.metrics.count("latch_second_factors_total", ["result": "limited"])
            let wait = max(end.timeIntervalSince(parts.clock.now), 1)
            throw IdentityError(
                code: IdentityError.tooManyAttempts.code, message: "There were too many wrong codes.",
                hint: "Wait before you try again, or use a recovery code.",
                retryAfter: .milliseconds(Int64(min(wait, 86_400) * 1000)))
        }
    }

    /// The text has 256 random bits, which nobody tries one by one.
    private static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
