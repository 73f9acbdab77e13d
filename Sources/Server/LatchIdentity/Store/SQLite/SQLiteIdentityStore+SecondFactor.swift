// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore {
    package func secondFactor(of accountID: String, isConfirmed: Bool) throws(IdentityError) -> SecondFactor? {
        try readers.read { db throws(IdentityError) in try db.factor(of: accountID, isConfirmed) }
    }

    package func recoveryCodeCount(of accountID: String) throws(IdentityError) -> Int {
        try readers.read { db throws(IdentityError) in
            try db.number(
                "SELECT count(*) FROM recovery_code WHERE account_id = ? AND is_confirmed = 1", [.text(accountID)])
        }
    }

    /// What was begun has a row of its own: until it is confirmed, the factor of before stays the one that is asked for.
    package func begin(_ factor: SecondFactor, recoveryDigests: [[UInt8]]) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            let account: SQLiteValue = .text(factor.accountID)
            try db.forgetFactor(of: factor.accountID, isConfirmed: false)
            try db.run(
                """
                INSERT INTO second_factor (account_id, is_confirmed, sealed_secret, created_at, last_step, failures)
                VALUES (?, 0, ?, ?, 0, 0)
                """, [account, .blob(factor.sealedSecret), .date(factor.createdAt)])
            try db.keep(recoveryDigests, of: factor.accountID, isConfirmed: false)
            try db.audit("factor.begun", account: factor.accountID, at: factor.createdAt)
        }
    }

    package func confirmFactor(
        of accountID: String, proof: FactorProof, on device: [UInt8], at now: Date
    ) async throws(IdentityError) -> FactorVerdict {
        try await writer.write { db throws(IdentityError) in
            let verdict = try db.judge(proof, of: accountID, isConfirmed: false, at: now)
            guard verdict == .accepted else { return verdict }
            try db.forgetFactor(of: accountID, isConfirmed: true)
            for table in ["second_factor", "recovery_code"] {
                try db.run("UPDATE \(table) SET is_confirmed = 1 WHERE account_id = ?", [.text(accountID)])
            }
            try db.run("DELETE FROM sign_in_challenge WHERE account_id = ?", [.text(accountID)])
            try db.run("UPDATE device SET factor_at = ? WHERE id = ?", [.date(now), .blob(device)])
            try db.revokeDevices(of: accountID, but: device, because: .secondFactor, at: now)
            try db.audit("factor.confirmed", account: accountID, at: now)
            return .accepted
        }
    }

    /// Judging, using up and counting are one transaction: of any number of equal codes at once one is accepted, and of
    /// a thousand guesses at once five are looked at (attacks F1 and F3).
    package func prove(
        _ proof: FactorProof, of accountID: String, ending challenge: [UInt8]?, at now: Date
    ) async throws(IdentityError) -> FactorVerdict {
        try await writer.write { db throws(IdentityError) in
            if let challenge {
                let isThere = try db.number(
                    "SELECT count(*) FROM sign_in_challenge WHERE digest = ? AND account_id = ? AND expires_at > ?",
                    [.blob(challenge), .text(accountID), .date(now)])
                guard isThere == 1 else { return .refused }
            }
            let verdict = try db.judge(proof, of: accountID, isConfirmed: true, at: now)
            if verdict == .accepted, let challenge {
                try db.run("DELETE FROM sign_in_challenge WHERE digest = ?", [.blob(challenge)])
            }
            return verdict
        }
    }

    /// The code that proves it and the end of what it proves are one transaction: of two removals at once one uses the
    /// code up, and a factor that was set up meanwhile is not the one that goes.
    package func removeFactor(
        of accountID: String, proof: FactorProof, at now: Date
    ) async throws(IdentityError) -> FactorVerdict {
        try await writer.write { db throws(IdentityError) in
            let verdict = try db.judge(proof, of: accountID, isConfirmed: true, at: now)
            guard verdict == .accepted else { return verdict }
            _ = try db.removeFactor(of: accountID, detail: nil, at: now)
            return .accepted
        }
    }

    /// Somebody whose phone was lost or stolen asks for this, and the phone may still be signed in.
    package func removeFactor(
        of accountID: String, by actor: String?, at now: Date
    ) async throws(IdentityError) -> Bool? {
        try await writer.write { db throws(IdentityError) in
            guard try db.target(accountID, of: .removeFactor, by: actor) != nil else { return nil }
            let detail = "by \(actor ?? "the operator")"
            guard try db.removeFactor(of: accountID, detail: detail, at: now) else { return false }
            try db.revokeDevices(of: accountID, because: .administrator, at: now)
            return true
        }
    }

    package func replaceRecoveryCodes(
        of accountID: String, by digests: [[UInt8]], proof: FactorProof, at now: Date
    ) async throws(IdentityError) -> FactorVerdict {
        try await writer.write { db throws(IdentityError) in
            let verdict = try db.judge(proof, of: accountID, isConfirmed: true, at: now)
            guard verdict == .accepted else { return verdict }
            try db.run(
                "DELETE FROM recovery_code WHERE account_id = ? AND is_confirmed = 1", [.text(accountID)])
            try db.keep(digests, of: accountID, isConfirmed: true)
            try db.audit("factor.recoveryCodesReplaced", account: accountID, at: now)
            return .accepted
        }
    }

    /// Ten logins of one person may wait at once; whoever has the password cannot fill the store with more.
    package func insert(_ challenge: SignInChallenge) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            try db.run(
                """
                INSERT INTO sign_in_challenge (digest, account_id, password_changed_at, app_id, scope, is_remembered,
                    created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .blob(challenge.digest), .text(challenge.accountID), .date(challenge.passwordChangedAt),
                    .text(challenge.appID), .text(challenge.scope), .integer(challenge.isRemembered ? 1 : 0),
                    .date(challenge.createdAt), .date(challenge.expiresAt),
                ])
            try db.run(
                """
                DELETE FROM sign_in_challenge WHERE account_id = ?1 AND digest NOT IN (SELECT digest FROM
                    sign_in_challenge WHERE account_id = ?1 ORDER BY created_at DESC, digest = ?2 DESC LIMIT 10)
                """, [.text(challenge.accountID), .blob(challenge.digest)])
        }
    }

    package func challenge(_ digest: [UInt8], at now: Date) throws(IdentityError) -> SignInChallenge? {
        try readers.read { db throws(IdentityError) in
            try db.first(
                """
                SELECT account_id, password_changed_at, app_id, scope, is_remembered, created_at, expires_at
                FROM sign_in_challenge WHERE digest = ? AND expires_at > ?
                """, [.blob(digest), .date(now)]
            ) { row throws(IdentityError) in
                SignInChallenge(
                    digest: digest, accountID: try row.text(0), passwordChangedAt: try row.date(1),
                    appID: try row.optionalText(2), scope: try row.text(3), isRemembered: try row.integer(4) == 1,
                    createdAt: try row.date(5), expiresAt: try row.date(6))
            }
        }
    }
}

extension SQLiteConnection {
    fileprivate func factor(of accountID: String, _ isConfirmed: Bool) throws(IdentityError) -> SecondFactor? {
        try first(
            """
            SELECT sealed_secret, created_at, last_step, failures, failed_at FROM second_factor
            WHERE account_id = ? AND is_confirmed = ?
            """, [.text(accountID), .integer(isConfirmed ? 1 : 0)]
        ) { row throws(IdentityError) in
            SecondFactor(
                accountID: accountID, sealedSecret: try row.blob(0), isConfirmed: isConfirmed,
                createdAt: try row.date(1), lastStep: try row.integer(2), failures: Int(try row.integer(3)),
                failedAt: try row.optionalDate(4))
        }
    }

    /// What is accepted is used up here, and what is wrong is counted here.
    fileprivate func judge(
        _ proof: FactorProof, of accountID: String, isConfirmed: Bool, at now: Date
    ) throws(IdentityError) -> FactorVerdict {
        guard let factor = try factor(of: accountID, isConfirmed) else { return .refused }
        let key: [SQLiteValue] = [.text(accountID), .integer(isConfirmed ? 1 : 0)]
        switch proof {
        case .recovery(let digest):
            // No lock for these: nobody guesses 80 bits, and the owner must get in while somebody else guesses codes.
            let used = try run(
                "DELETE FROM recovery_code WHERE account_id = ? AND is_confirmed = ? AND digest = ?",
                key + [.blob(digest)])
            guard used == 1 else { return .refused }
            try audit("factor.recoveryCodeUsed", account: accountID, at: now)
            return .accepted
        case .code(let step, let sealedSecret):
            if let end = factor.lockedUntil, now < end { return .locked(until: end) }
            if let step, step > factor.lastStep, sealedSecret == factor.sealedSecret {
                // RFC 6238 §5.2: a code is good once, and with it all before it.
                try run(
                    """
                    UPDATE second_factor SET last_step = ?3, failures = 0, failed_at = NULL
                    WHERE account_id = ?1 AND is_confirmed = ?2
                    """, key + [.integer(step)])
                return .accepted
            }
            try run(
                """
                UPDATE second_factor SET failures = failures + 1, failed_at = ?3
                WHERE account_id = ?1 AND is_confirmed = ?2
                """, key + [.date(now)])
            if factor.failures + 1 == SecondFactor.freeFailures {
                try audit("factor.guessed", account: accountID, at: now)
            }
            return .refused
        }
    }

    fileprivate func keep(
        _ recoveryDigests: [[UInt8]], of accountID: String, isConfirmed: Bool
    ) throws(IdentityError) {
        for digest in recoveryDigests {
            try run(
                "INSERT INTO recovery_code (account_id, is_confirmed, digest) VALUES (?, ?, ?)",
                [.text(accountID), .integer(isConfirmed ? 1 : 0), .blob(digest)])
        }
    }

    /// No device has shown a factor that is gone, so that none is trusted for it any more.
    fileprivate func removeFactor(of accountID: String, detail: String?, at now: Date) throws(IdentityError) -> Bool {
        try forgetFactor(of: accountID, isConfirmed: false)
        guard try forgetFactor(of: accountID, isConfirmed: true) else { return false }
        try run("DELETE FROM sign_in_challenge WHERE account_id = ?", [.text(accountID)])
        try run("UPDATE device SET factor_at = NULL WHERE account_id = ?", [.text(accountID)])
        try audit("factor.removed", account: accountID, detail: detail, at: now)
        return true
    }

    @discardableResult
    fileprivate func forgetFactor(of accountID: String, isConfirmed: Bool) throws(IdentityError) -> Bool {
        let key: [SQLiteValue] = [.text(accountID), .integer(isConfirmed ? 1 : 0)]
        try run("DELETE FROM recovery_code WHERE account_id = ? AND is_confirmed = ?", key)
        return try run("DELETE FROM second_factor WHERE account_id = ? AND is_confirmed = ?", key) == 1
    }
}
