// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
import LatchFoundation
import LatchHTTP
package import LatchIdentityStorage

/// A service that sets up, verifies and removes the second factors of accounts.
package struct SecondFactorService: Sendable {
    /// The secrets of a new factor, which are shown only once.
    package struct Setup: Codable, Sendable {
        /// The TOTP secret in base 32, for entering by hand.
        package let secret: String
        /// The key URI of the QR code.
        package let uri: String
        /// The recovery codes.
        ///
        /// After the factor is confirmed, each is valid once in place of a code.
        package let recoveryCodes: [String]

        package init(secret: String, uri: String, recoveryCodes: [String]) {
            self.secret = secret
            self.uri = uri
            self.recoveryCodes = recoveryCodes
        }
    }

    /// The time within which a setup must be confirmed.
    static let setupLifetime: TimeInterval = 3600

    /// The name of the service in authenticator apps.
    package let serviceName: String
    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource
    package let pepper: SymmetricKey
    package let limits: RateLimits
    package let mails: MailQueue
    package let metrics: Metrics
    package let recentAuthentication: RecentAuthenticationRule

    package init(
        serviceName: String, store: IdentityStore, clock: WallClock, random: RandomSource, pepper: SymmetricKey,
        limits: RateLimits, mails: MailQueue, metrics: Metrics, recentAuthentication: RecentAuthenticationRule
    ) {
        self.serviceName = serviceName
        self.store = store
        self.clock = clock
        self.random = random
        self.pepper = pepper
        self.limits = limits
        self.mails = mails
        self.metrics = metrics
        self.recentAuthentication = recentAuthentication
    }

    // MARK: Setup and removal by the owner

    /// Creates a secret and recovery codes, which become valid once confirmed and are not shown again (attack F7).
    ///
    /// An existing factor stays required until then. The login must be recent. On an account with a factor, it must
    /// also have proved that factor, so that an unattended session cannot change it (attack F6).
    ///
    /// - Throws: `IdentityError.forbidden` for another client's token, `.signInAgain`, `.administrationNeedsFactor`,
    ///   `.tooManyAttempts`, `.accountChanged` if the account has changed in the meantime, or a store's error.
    package func enroll(_ session: AuthenticatedSession) async throws(IdentityError) -> Setup {
        try await requireRecentLogin(session)
        let now = clock.now
        try limits.take([limits.secondFactorSetup(of: session.account)])
        let secret = random.bytes(TOTP.secretByteCount)
        let codes = newRecoveryCodes()
        let factor = SecondFactor(
            accountID: session.accountID, sealedSecret: try cipher.seal(secret, of: session.accountID),
            createdAt: now)
        let isBegun = try await store.begin(
            factor, recoveryDigests: codes.map { $0.digest(for: session.accountID) }, for: session.account)
        guard isBegun else { throw .accountChanged }
        let text = Base32.encode(secret)
        return Setup(secret: text, uri: uri(text, of: session.account), recoveryCodes: codes.map(\.text))
    }

    /// Confirms a setup by a code, and signs out every other device, since none of them has proved the factor.
    ///
    /// A client that lost the response may repeat the request with the same code.
    ///
    /// - Parameter secret: The key that the user has seen, if a page shows it: a later setup has another one.
    /// - Throws: `IdentityError.noSecondFactor`, also for another key, `.signInAgain`, `.administrationNeedsFactor`,
    ///   `.invalidCode`, `.tooManyAttempts`, or a store's error; `.invalidToken` if the setup has ended or the device was
    ///   signed out in the meantime.
    package func confirm(
        _ code: String, of secret: String? = nil, _ session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try await requireRecentLogin(session)
        let now = clock.now
        let purpose = SecondFactorPurpose.confirmation(on: session.device.id)
        try await limited(session.accountID, for: purpose, from: origin) { () throws(IdentityError) in
            let factor = try await store.secondFactor(of: session.accountID, isConfirmed: false)
            guard let factor, now.timeIntervalSince(factor.createdAt) < Self.setupLifetime else {
                guard try await isConfirmed(by: code, session) else { throw .noSecondFactor }
                return .accepted
            }
            if let secret {
                let stored = Base32.encode(try cipher.open(factor.sealedSecret, of: factor.accountID))
                guard constantTimeEquals(Array(stored.utf8), Array(secret.utf8)) else { throw .noSecondFactor }
            }
            // A recovery code does not prove that the authenticator app works.
            guard case .code(let step, let sealed)? = try proof(code, for: factor) else { return .rejected }
            return try await store.prove(
                .code(step: step, sealedSecret: sealed), of: session.accountID, for: purpose,
                causedBy: origin.mailCause,
                at: now)
        }
        mails.wake()
    }

    /// Returns whether a device has just confirmed the factor with this code.
    private func isConfirmed(by code: String, _ session: AuthenticatedSession) async throws(IdentityError) -> Bool {
        guard session.device.factorAt != nil,
            let factor = try await store.secondFactor(of: session.accountID, isConfirmed: true),
            case .code(let step?, _)? = try proof(code, for: factor)
        else { return false }
        return step == factor.lastStep
    }

    /// Removes the factor with one of its codes.
    ///
    /// The login must be recent (attack F6).
    ///
    /// - Throws: `IdentityError.signInAgain`, `.noSecondFactor`, `.invalidCode`, `.tooManyAttempts`, `.forbidden`, or a
    ///   store's error; `.invalidToken` if the device was signed out in the meantime.
    package func remove(
        code: String, _ session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try await requireRecentLogin(session)
        try await verify(
            code, of: session.accountID, for: .removal(on: session.device.id), from: origin, orThrow: .noSecondFactor)
        mails.wake()
    }

    /// Replaces the recovery codes, with a code of the factor.
    ///
    /// The login must be recent.
    ///
    /// - Throws: The errors of ``remove(code:_:from:)``.
    package func replaceRecoveryCodes(
        code: String, _ session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) -> [String] {
        try await requireRecentLogin(session)
        let codes = newRecoveryCodes()
        try await verify(
            code, of: session.accountID,
            for: .recoveryCodes(codes.map { $0.digest(for: session.accountID) }, on: session.device.id),
            from: origin, orThrow: .noSecondFactor)
        return codes.map(\.text)
    }

    /// Returns whether logins of the account require a code.
    package func isConfirmed(of accountID: String) async throws(IdentityError) -> Bool {
        try await store.secondFactor(of: accountID, isConfirmed: true) != nil
    }

    // MARK: Verification

    /// Verifies and uses up a code of the confirmed factor, or a recovery code.
    ///
    /// - Parameters:
    ///   - missing: The error if no factor is confirmed.
    ///   - prepare: What may fail without costing the user the code. It runs before anything is decided about the code, so
    ///     that its error tells nothing about it.
    /// - Returns: What `prepare` returns.
    /// - Throws: `IdentityError.invalidCode`, the same for every cause; `.tooManyAttempts`, a store's error, or an error
    ///   of `prepare`.
    @discardableResult
    package func verify<Prepared>(
        _ code: String, of accountID: String, for purpose: SecondFactorPurpose, from origin: RequestOrigin,
        orThrow missing: IdentityError = .invalidCode,
        preparing prepare: () async throws(IdentityError) -> Prepared = {}
    ) async throws(IdentityError) -> Prepared {
        var prepared: Result<Prepared, IdentityError>?
        try await limited(accountID, for: purpose, from: origin) { () throws(IdentityError) in
            guard let factor = try await store.secondFactor(of: accountID, isConfirmed: true) else {
                throw missing
            }
            guard let proof = try proof(code, for: factor) else { return .rejected }
            do throws(IdentityError) { prepared = .success(try await prepare()) } catch {
                prepared = .failure(error)
                return nil
            }
            return try await store.prove(
                proof, of: accountID, for: purpose, causedBy: origin.mailCause, at: clock.now)
        }
        guard let prepared else { throw .invalidCode }
        return try prepared.get()
    }

    /// Verifies within the limit of a network, counts the result, and refunds the attempt if it is accepted.
    ///
    /// A rejected code is recorded. A code that a limit or a lock refuses is not, so that the log grows no faster than
    /// codes are checked.
    ///
    /// - Parameter verify: Returns nil if the code was neither accepted nor rejected; the attempt does not count then.
    private func limited(
        _ accountID: String, for purpose: SecondFactorPurpose, from origin: RequestOrigin,
        _ verify: () async throws(IdentityError) -> VerificationResult?
    ) async throws(IdentityError) {
        let attempts = limits.secondFactor(of: accountID, address: origin.address)
        do throws(IdentityError) { try limits.take(attempts) } catch {
            metrics.count(.secondFactors, "limited")
            throw error
        }
        // Only a wrong code is a guess that counts for the shared network.
        let shared = attempts.filter { $0.scope != .secondFactor }
        let result: VerificationResult?
        do throws(IdentityError) { result = try await verify() } catch {
            limits.refund(shared)
            throw error
        }
        guard let result else { return limits.refund(attempts) }
        if result != .rejected { limits.refund(shared) }
        switch result {
        case .accepted:
            metrics.count(.secondFactors, "accepted")
            limits.refund(attempts.filter { $0.scope == .secondFactor })
        case .rejected:
            metrics.count(.secondFactors, "refused")
            try await store.audit(
                "factor.failed", account: accountID, detail: "\(purpose.name) from \(origin.address)".sanitized(200),
                at: clock.now)
            throw .invalidCode
        case .ended:
            metrics.count(.secondFactors, "refused")
            throw purpose.device == nil ? .invalidCode : .invalidToken
        case .locked(let end):
            metrics.count(.secondFactors, "limited")
            let wait = max(end.timeIntervalSince(clock.now), 1)
            throw .tooManyAttempts.with(
                message: "There were too many wrong codes.",
                hint: "Wait before you try again, or use a recovery code.",
                retryAfter: .milliseconds(Int64(min(wait, 86_400) * 1000)))
        }
    }

    /// Returns the typed code as a proof; nil if it has neither the form of a code nor of a recovery code.
    ///
    /// A code is compared here. The store's transaction accepts or rejects it, since it records whether the code was
    /// used before.
    private func proof(_ typed: String, for factor: SecondFactor) throws(IdentityError) -> SecondFactorProof? {
        if let code = RecoveryCode(typed: typed) { return .recovery(digest: code.digest(for: factor.accountID)) }
        let digits = typed.typedCode
        guard digits.utf8.count == TOTP.digits, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let secret = try cipher.open(factor.sealedSecret, of: factor.accountID)
        let step = TOTP.matchingStep(digits, secret, at: clock.now)
        return .code(step: step, sealedSecret: factor.sealedSecret)
    }

    private var cipher: TOTPSecretCipher { TOTPSecretCipher(pepper: pepper) }

    private func newRecoveryCodes() -> [RecoveryCode] {
        (0..<RecoveryCode.count).map { _ in RecoveryCode(random) }
    }

    private func requireRecentLogin(_ session: AuthenticatedSession) async throws(IdentityError) {
        try session.requireFirstParty()
        // The factor is the second one beside a password, which no account without an address has.
        _ = try session.account.requireAddress()
        try recentAuthentication.require(session)
        try await store.requireOwnFactor(of: session.actor)
    }

    /// Returns the key URI that authenticator apps scan.
    ///
    /// Its issuer is the name of the service.
    private func uri(_ secret: String, of account: Account) -> String {
        // A colon ends the issuer, and some apps refuse a second colon.
        let issuer = PercentEncoding.encode(serviceName.utf8.filter { $0 != 0x3A })
        return
            "otpauth://totp/\(issuer):\(PercentEncoding.encode(account.label.utf8))?secret=\(secret)&issuer=\(issuer)"
            + "&algorithm=SHA1&digits=\(TOTP.digits)&period=\(TOTP.period)"
    }
}

extension SecondFactorService.Setup: Redacting {}
