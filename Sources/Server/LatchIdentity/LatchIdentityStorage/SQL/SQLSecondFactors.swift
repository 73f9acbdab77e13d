// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

extension IdentityStore {
    /// Returns the confirmed factor, or the factor in setup; nil if there is none.
    package func secondFactor(of accountID: String, isConfirmed: Bool) async throws(IdentityError) -> SecondFactor? {
        try await read { db throws(IdentityError) in try db.factor(of: accountID, isConfirmed) }
    }

    /// Begins the setup of a factor with its recovery codes; replaces an earlier unconfirmed factor.
    ///
    /// It inserts a separate unconfirmed row. The confirmed factor stays required until the confirmation.
    ///
    /// - Returns: False if the account's credentials have changed since `account` was read.
    package func begin(
        _ factor: SecondFactor, recoveryDigests: [[UInt8]], for account: Account
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            guard try db.isUnchanged(account) else { return false }
            try db.deleteFactor(of: factor.accountID, isConfirmed: false)
            try db.run(
                "INSERT INTO second_factor \(SecondFactor.Column.insertion)", SecondFactor.Column.values(of: factor))
            try db.insert(recoveryDigests: recoveryDigests, of: factor.accountID, isConfirmed: false)
            try db.audit("factor.begun", account: factor.accountID, at: factor.createdAt)
            return true
        }
    }

    /// Verifies a proof, applies the effects of its purpose if it is accepted, and records the result.
    ///
    /// An accepted code is used up, and a wrong code is counted. All of this is one transaction. Of any number of equal
    /// concurrent codes one is accepted, and of a thousand concurrent guesses five are checked (attacks F1 and F3).
    package func prove(
        _ proof: SecondFactorProof, of accountID: String, for purpose: SecondFactorPurpose,
        causedBy cause: MailCause = MailCause(),
        at now: Date
    ) async throws(IdentityError) -> VerificationResult {
        try await write { db throws(IdentityError) in
            if case .login(let challenge?) = purpose {
                let count = try db.number(
                    "SELECT count(*) FROM sign_in_challenge WHERE digest = $1 AND account_id = $2 AND expires_at > $3",
                    [.blob(challenge), .text(accountID), .date(now)])
                guard count == 1 else { return .ended }
            }
            // A device that was signed out since the request began must not change anything (attack E8).
            if let device = purpose.device, try !db.isSignedIn(device, of: accountID, at: now) { return .ended }
            let result = try db.verify(proof, of: accountID, isConfirmed: !purpose.isConfirmation, at: now)
            if result == .accepted {
                try db.complete(purpose, of: accountID, causedBy: cause, at: now)
                // An owner who has the factor, or one of its codes, has not lost it.
                try db.cancelFactorRecovery(of: accountID, because: "by a code", at: now)
            }
            return result
        }
    }

    /// Inserts a challenge.
    ///
    /// It keeps the newest ten challenges of an account, so that an attacker with the password cannot fill the store.
    ///
    /// - Returns: False if the credentials have changed since `account` was read, for example by a confirmed factor.
    package func insert(_ challenge: LoginChallenge, for account: Account) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            guard try db.isUnchanged(account) else { return false }
            try db.run(
                "INSERT INTO sign_in_challenge \(LoginChallenge.Column.insertion)",
                LoginChallenge.Column.values(of: challenge))
            try db.run(
                """
                DELETE FROM sign_in_challenge WHERE account_id = $1 AND digest NOT IN (SELECT digest FROM
                    sign_in_challenge WHERE account_id = $1 ORDER BY created_at DESC, digest = $2 DESC LIMIT 10)
                """, [.text(challenge.accountID), .blob(challenge.digest)])
            return true
        }
    }

    /// Returns a challenge by its digest; nil if it does not exist or has expired.
    package func challenge(_ digest: [UInt8], at now: Date) async throws(IdentityError) -> LoginChallenge? {
        try await read { db throws(IdentityError) in try db.challenge(digest, at: now) }
    }

    /// Removes and returns a challenge that needs no proof; nil if it does not exist or has expired.
    ///
    /// It reads and removes in one transaction, so that only one of two requests gets the challenge.
    package func takeChallenge(_ digest: [UInt8], at now: Date) async throws(IdentityError) -> LoginChallenge? {
        try await write { db throws(IdentityError) in
            let challenge = try db.challenge(digest, at: now)
            try db.run("DELETE FROM sign_in_challenge WHERE digest = $1", [.blob(digest)])
            return challenge
        }
    }
}

extension SQLConnection {
    fileprivate func challenge(_ digest: [UInt8], at now: Date) throws(IdentityError) -> LoginChallenge? {
        try first(
            "SELECT \(LoginChallenge.Column.list) FROM sign_in_challenge WHERE digest = $1 AND expires_at > $2",
            [.blob(digest), .date(now)], read: LoginChallenge.init)
    }

    fileprivate func factor(of accountID: String, _ isConfirmed: Bool) throws(IdentityError) -> SecondFactor? {
        try first(
            "SELECT \(SecondFactor.Column.list) FROM second_factor WHERE account_id = $1 AND is_confirmed = $2",
            [.text(accountID), .integer(isConfirmed ? 1 : 0)], read: SecondFactor.init)
    }

    /// Verifies a proof, uses up an accepted one, and counts a wrong one.
    fileprivate func verify(
        _ proof: SecondFactorProof, of accountID: String, isConfirmed: Bool, at now: Date
    ) throws(IdentityError) -> VerificationResult {
        guard let factor = try factor(of: accountID, isConfirmed) else { return .ended }
        let key: [SQLValue] = [.text(accountID), .integer(isConfirmed ? 1 : 0)]
        switch proof {
        case .recovery(let digest):
            // No lock: recovery codes have 80 bits and cannot be guessed. The owner must get in during an attack.
            let used = try run(
                "DELETE FROM recovery_code WHERE account_id = $1 AND is_confirmed = $2 AND digest = $3",
                key + [.blob(digest)])
            guard used == 1 else { return .rejected }
            try audit("factor.recoveryCodeUsed", account: accountID, at: now)
            return .accepted
        case .code(let step, let sealedSecret):
            if let end = factor.lockedUntil, now < end { return .locked(until: end) }
            if let step, step > factor.lastStep, sealedSecret == factor.sealedSecret {
                // RFC 6238 §5.2: a code is accepted once, and earlier codes are not accepted after it.
                try run(
                    """
                    UPDATE second_factor SET last_step = $1, failures = 0, failed_at = NULL
                    WHERE account_id = $2 AND is_confirmed = $3
                    """, [.integer(step)] + key)
                return .accepted
            }
            try run(
                """
                UPDATE second_factor SET failures = failures + 1, failed_at = $1
                WHERE account_id = $2 AND is_confirmed = $3
                """, [.date(now)] + key)
            if factor.failures + 1 == SecondFactor.freeFailures {
                try audit("factor.guessed", account: accountID, at: now)
            }
            return .rejected
        }
    }

    /// Applies the effects of an accepted proof.
    fileprivate func complete(
        _ purpose: SecondFactorPurpose, of accountID: String, causedBy cause: MailCause, at now: Date
    ) throws(IdentityError) {
        switch purpose {
        case .login(nil): break
        case .login(let challenge?): try run("DELETE FROM sign_in_challenge WHERE digest = $1", [.blob(challenge)])
        case .confirmation(let device):
            try deleteFactor(of: accountID, isConfirmed: true)
            for table in ["second_factor", "recovery_code"] {
                try run("UPDATE \(table) SET is_confirmed = 1 WHERE account_id = $1", [.text(accountID)])
            }
            try run("DELETE FROM sign_in_challenge WHERE account_id = $1", [.text(accountID)])
            try run("UPDATE device SET factor_at = $1 WHERE id = $2", [.date(now), .blob(device)])
            try revokeDevices(of: accountID, except: device, because: .secondFactor, at: now)
            try mail(.factorAdded, to: accountID, causedBy: cause, at: now)
            try audit("factor.confirmed", account: accountID, at: now)
        case .removal:
            _ = try removeFactor(of: accountID, detail: nil, causedBy: cause, at: now)
        case .recoveryCodes(let digests, _):
            try run("DELETE FROM recovery_code WHERE account_id = $1 AND is_confirmed = 1", [.text(accountID)])
            try insert(recoveryDigests: digests, of: accountID, isConfirmed: true)
            try audit("factor.recoveryCodesReplaced", account: accountID, at: now)
        }
    }

    fileprivate func insert(recoveryDigests: [[UInt8]], of accountID: String, isConfirmed: Bool) throws(IdentityError) {
        try run(
            "INSERT INTO recovery_code (account_id, is_confirmed, digest) VALUES ($1, $2, $3)",
            each: recoveryDigests.map { [.text(accountID), .integer(isConfirmed ? 1 : 0), .blob($0)] })
    }

    /// Removes the factor, its challenges, and the record of the devices that proved it, and emails the owner.
    package func removeFactor(
        of accountID: String, detail: String?, causedBy cause: MailCause, at now: Date
    ) throws(IdentityError) -> Bool {
        try deleteFactor(of: accountID, isConfirmed: false)
        guard try deleteFactor(of: accountID, isConfirmed: true) else { return false }
        try run("DELETE FROM sign_in_challenge WHERE account_id = $1", [.text(accountID)])
        try run("UPDATE device SET factor_at = NULL WHERE account_id = $1", [.text(accountID)])
        try mail(.factorRemoved, to: accountID, causedBy: cause, at: now)
        try audit("factor.removed", account: accountID, detail: detail, at: now)
        return true
    }

    /// Emails the owner about a change of the credentials, in the owner's preferred language, if there is an address.
    ///
    /// - Parameter cause: The owner's request, whose language is for an owner without a preference.
    package func mail(
        _ purpose: OutboxMail.Purpose, to accountID: String, causedBy cause: MailCause, at now: Date
    ) throws(IdentityError) {
        guard let full = try fullAccount(accountID), let email = full.account.email else { return }
        let preferred = full.details.preferences.language
        try insert(
            OutboxMail(
                purpose, to: email, accountID: accountID, id: RandomSource.system.identifier(), at: now,
                causedBy: cause.preferring(preferred)))
    }

    @discardableResult
    fileprivate func deleteFactor(of accountID: String, isConfirmed: Bool) throws(IdentityError) -> Bool {
        let key: [SQLValue] = [.text(accountID), .integer(isConfirmed ? 1 : 0)]
        try run("DELETE FROM recovery_code WHERE account_id = $1 AND is_confirmed = $2", key)
        return try run("DELETE FROM second_factor WHERE account_id = $1 AND is_confirmed = $2", key) == 1
    }
}

extension SecondFactor {
    /// The columns of `second_factor`; an account can have a confirmed factor and one in setup.
    enum Column: Int32, TableColumn {
        case accountID, isConfirmed, sealedSecret, createdAt, lastStep, failures, failedAt

        static let keyCount = 2
        static let (list, insertion) = texts()

        func value(of factor: SecondFactor?) -> SQLValue {
            switch self {
            case .accountID: .text(factor?.accountID)
            case .isConfirmed: .integer((factor?.isConfirmed).map { $0 ? 1 : 0 })
            case .sealedSecret: .blob(factor?.sealedSecret)
            case .createdAt: .date(factor?.createdAt)
            case .lastStep: .integer(factor?.lastStep)
            case .failures: .integer((factor?.failures).map { Int64($0) })
            case .failedAt: .date(factor?.failedAt)
            }
        }
    }

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            accountID: try row.text(Column.accountID), sealedSecret: try row.blob(Column.sealedSecret),
            isConfirmed: try row.integer(Column.isConfirmed) == 1, createdAt: try row.date(Column.createdAt),
            lastStep: try row.integer(Column.lastStep), failures: Int(try row.integer(Column.failures)),
            failedAt: try row.optionalDate(Column.failedAt))
    }
}

extension LoginChallenge {
    /// The columns of `sign_in_challenge`.
    enum Column: Int32, TableColumn {
        case digest, accountID, passwordChangedAt, appID, scope, isRemembered, createdAt, expiresAt

        static let (list, insertion) = texts()

        func value(of challenge: LoginChallenge?) -> SQLValue {
            switch self {
            case .digest: .blob(challenge?.digest)
            case .accountID: .text(challenge?.accountID)
            case .passwordChangedAt: .date(challenge?.passwordChangedAt)
            // Set only by an earlier version.
            case .appID: .text(nil)
            case .scope: .text(challenge?.scope)
            case .isRemembered: .integer((challenge?.isRemembered).map { $0 ? 1 : 0 })
            case .createdAt: .date(challenge?.createdAt)
            case .expiresAt: .date(challenge?.expiresAt)
            }
        }
    }

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            digest: try row.blob(Column.digest), accountID: try row.text(Column.accountID),
            passwordChangedAt: try row.date(Column.passwordChangedAt), scope: try row.text(Column.scope),
            isRemembered: try row.integer(Column.isRemembered) == 1, createdAt: try row.date(Column.createdAt),
            expiresAt: try row.date(Column.expiresAt))
    }
}
