// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation
import LatchWebAuthn

extension IdentityStore {
    /// Returns a passkey; nil if it does not exist.
    package func passkey(id: [UInt8]) async throws(IdentityError) -> Passkey? {
        try await read { db throws(IdentityError) in try db.passkey(id) }
    }

    /// Returns the passkeys of an account, the oldest first.
    package func passkeys(of accountID: String) async throws(IdentityError) -> [Passkey] {
        try await all(
            "SELECT \(Passkey.Column.list) FROM passkey WHERE account_id = $1 ORDER BY created_at, credential_id",
            [.text(accountID)], read: Passkey.init)
    }

    /// Inserts a passkey, uses up the challenge of its registration, and emails the owner.
    ///
    /// The transaction decides, so that concurrent requests cannot exceed the maximum number of passkeys.
    ///
    /// A guest becomes a user.
    ///
    /// - Parameters:
    ///   - device: The signed-in device that registers it.
    ///   - end: The time at which the sessions of a guest end from now on; nil keeps them.
    /// - Throws: `IdentityError.passkeyChallengeExpired` if the challenge was used before. `.passkeyExists`,
    ///   `.tooManyPasskeys`. `.accountChanged` if the account has changed since it was read. `.invalidToken` if the
    ///   device was signed out.
    package func insert(
        _ passkey: Passkey, for account: Account, on device: [UInt8], spending challenge: SpentChallenge,
        endingGuestSessionsBy end: Date? = nil, causedBy cause: MailCause = MailCause()
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.isSignedIn(device, of: account.id, at: passkey.createdAt) else { throw .invalidToken }
            guard try db.isUnchanged(account) else { throw .accountChanged }
            guard try db.spend(challenge) else { throw .passkeyChallengeExpired }
            guard try db.passkey(passkey.id) == nil else { throw .passkeyExists }
            guard try db.passkeyCount(of: account.id) < Passkey.maximumCount else { throw .tooManyPasskeys }
            try db.run(
                "INSERT INTO passkey \(Passkey.Column.insertion)", Passkey.Column.values(of: passkey))
            try db.endGuest(account.id, endingSessionsBy: end)
            try db.passkeysHaveChanged(.passkeyAdded, of: account.id, causedBy: cause, at: passkey.createdAt)
            try db.audit("passkey.added", account: account.id, at: passkey.createdAt)
        }
    }

    /// Decides a use of a passkey, and applies it completely or not at all.
    ///
    /// It uses up the challenge, compares and stores the counter, and signs in or authenticates the device.
    package func use(
        _ use: PasskeyUse, of account: Account, for purpose: PasskeyPurpose, at now: Date
    ) async throws(IdentityError) -> PasskeyUseResult {
        try await write { db throws(IdentityError) in
            guard try db.isUnchanged(account), let stored = try db.passkey(use.id), stored.accountID == account.id
            else { return .ended }
            guard try db.spend(use.challenge) else { return .spent }
            // WebAuthn Level 3 §7.2 step 22: of a passkey and its copy, the less used one is detected.
            guard use.assertion.isNewer(than: stored.counter) else {
                try db.audit("passkey.copied", account: account.id, at: now)
                return .counterNotGrown
            }
            try db.run(
                """
                UPDATE passkey SET counter = $1, is_backup_eligible = $2, is_backed_up = $3, last_used_at = $4
                WHERE credential_id = $5
                """,
                [
                    .integer(Int64(use.assertion.counter)), .integer(use.assertion.isBackupEligible ? 1 : 0),
                    .integer(use.assertion.isBackedUp ? 1 : 0), .date(now), .blob(use.id),
                ])
            try db.cancelFactorRecovery(of: account.id, because: "by a passkey", at: now)
            switch purpose {
            case .session(let device): return try db.signIn(device, of: account) ? .accepted : .ended
            case .reauthentication(let device):
                let isSignedIn = try db.authenticate(
                    device, of: account.id, factorAt: now, detail: "passkey", at: now)
                return isSignedIn ? .accepted : .ended
            }
        }
    }

    /// Sets the name of a passkey and returns it; nil if the account has no such passkey.
    package func rename(passkey id: [UInt8], of accountID: String, to name: String) async throws(IdentityError)
        -> Passkey?
    {
        try await write { db throws(IdentityError) in
            let changed = try db.run(
                "UPDATE passkey SET name = $1 WHERE credential_id = $2 AND account_id = $3",
                [.text(name), .blob(id), .text(accountID)])
            return changed == 1 ? try db.passkey(id) : nil
        }
    }

    /// Removes a passkey, signs out the account's other devices, and emails its owner.
    ///
    /// - Parameters:
    ///   - device: The signed-in device that removes it, and stays signed in.
    ///   - ways: The ways to sign in that the configuration permits.
    /// - Throws: `IdentityError.noSuchPasskey`. `.lastSignIn` if the account has no other way that signs in. `.accountChanged` if the account has changed since it was read. `.invalidToken` if the
    ///   device was signed out.
    package func remove(
        passkey id: [UInt8], of account: Account, on device: [UInt8], among ways: SignInWays,
        causedBy cause: MailCause = MailCause(), at now: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.isSignedIn(device, of: account.id, at: now) else { throw .invalidToken }
            guard try db.isUnchanged(account), let current = try db.account(account.id) else { throw .accountChanged }
            let removed = try db.run(
                "DELETE FROM passkey WHERE credential_id = $1 AND account_id = $2", [.blob(id), .text(account.id)])
            guard removed == 1 else { throw .noSuchPasskey }
            // The error rolls the removal back.
            guard try db.canSignIn(current, by: ways) else { throw .lastSignIn }
            try db.passkeysHaveChanged(.passkeyRemoved, of: account.id, causedBy: cause, at: now)
            try db.audit("passkey.removed", account: account.id, at: now)
            try db.revokeDevices(of: account.id, except: device, because: .signInRemoved, at: now)
        }
    }
}

extension SQLConnection {
    /// Whether an account has something to sign in with that works now.
    ///
    /// It is a password, a proved address for codes, a link to a configured provider, or a passkey of the relying party.
    func canSignIn(_ account: Account, by ways: SignInWays) throws(IdentityError) -> Bool {
        if ways.hasPasswords, account.passwordHash != nil { return true }
        if ways.hasCodes, account.isOwnersAddress { return true }
        let isLinked = try linkedProviders(of: account.id).contains { linked in
            ways.providers.contains { $0.utf8.elementsEqual(linked.utf8) }
        }
        guard !isLinked else { return true }
        return try all(
            "SELECT \(Passkey.Column.list) FROM passkey WHERE account_id = $1", [.text(account.id)], read: Passkey.init
        ).contains { $0.isUsable(at: ways.relyingPartyID) }
    }

    /// Returns the number of passkeys of an account.
    fileprivate func passkeyCount(of accountID: String) throws(IdentityError) -> Int {
        try number("SELECT count(*) FROM passkey WHERE account_id = $1", [.text(accountID)])
    }

    /// Ends the passkeys from before the first proof of an account's address, since any user may have made them.
    func endUnprovedPasskeys(of accountID: String, causedBy cause: MailCause, at now: Date) throws(IdentityError) {
        try removePasskeys(of: accountID, detail: "set before the address was proved", causedBy: cause, at: now)
    }

    /// Removes passkeys of an account, and returns whether it had any.
    ///
    /// - Parameter passkey: The only one to remove; nil for all.
    @discardableResult
    package func removePasskeys(
        of accountID: String, only passkey: [UInt8]? = nil, detail: String, causedBy cause: MailCause, at now: Date
    ) throws(IdentityError) -> Bool {
        let removed = try run(
            "DELETE FROM passkey WHERE account_id = $1 AND ($2 IS NULL OR credential_id = $2)",
            [.text(accountID), .blob(passkey)])
        guard removed > 0 else { return false }
        try passkeysHaveChanged(.passkeyRemoved, of: accountID, causedBy: cause, at: now)
        try audit("passkey.removed", account: accountID, detail: detail, at: now)
        return true
    }

    fileprivate func passkey(_ id: [UInt8]) throws(IdentityError) -> Passkey? {
        try first(
            "SELECT \(Passkey.Column.list) FROM passkey WHERE credential_id = $1", [.blob(id)], read: Passkey.init)
    }

    /// Uses up a challenge; returns false if it was used before.
    ///
    /// The primary key decides between concurrent responses.
    fileprivate func spend(_ challenge: SpentChallenge) throws(IdentityError) -> Bool {
        try run(
            "INSERT INTO spent_sign_in (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
            [.blob(challenge.digest), .date(challenge.expiresAt)]) == 1
    }

    /// Ends decisions that relied on the earlier credentials (decision 0051), and emails the owner.
    fileprivate func passkeysHaveChanged(
        _ purpose: OutboxMail.Purpose, of accountID: String, causedBy cause: MailCause, at now: Date
    ) throws(IdentityError) {
        try run(
            "UPDATE account SET credential_version = credential_version + 1 WHERE id = $1", [.text(accountID)])
        try mail(purpose, to: accountID, causedBy: cause, at: now)
    }
}

extension Passkey {
    /// The columns of `passkey`.
    package enum Column: Int32, TableColumn {
        case credentialID, accountID, publicKey, counter, isBackupEligible, isBackedUp, aaguid, transports, name
        case createdAt, lastUsedAt, relyingParty, userHandle

        package static let (list, insertion) = texts()

        package func value(of passkey: Passkey?) -> SQLValue {
            switch self {
            case .credentialID: .blob(passkey?.id)
            case .accountID: .text(passkey?.accountID)
            case .publicKey: .blob(passkey?.publicKey)
            case .counter: .integer((passkey?.counter).map { Int64($0) })
            case .isBackupEligible: .integer((passkey?.isBackupEligible).map { $0 ? 1 : 0 })
            case .isBackedUp: .integer((passkey?.isBackedUp).map { $0 ? 1 : 0 })
            case .aaguid: .blob(passkey?.aaguid)
            case .transports: .text(passkey?.transports)
            case .name: .text(passkey?.name)
            case .createdAt: .date(passkey?.createdAt)
            case .lastUsedAt: .date(passkey?.lastUsedAt)
            case .relyingParty: .text(passkey?.relyingPartyID)
            case .userHandle: .blob(passkey?.userHandle)
            }
        }
    }

    /// Creates a passkey from a row; a counter out of range is damage.
    init(_ row: borrowing SQLRow) throws(IdentityError) {
        guard let counter = UInt32(exactly: try row.integer(Column.counter)) else {
            throw .corruptStore("a passkey has a counter out of range")
        }
        self.init(
            id: try row.blob(Column.credentialID), accountID: try row.text(Column.accountID),
            relyingPartyID: try row.optionalText(Column.relyingParty), publicKey: try row.blob(Column.publicKey),
            counter: counter, isBackupEligible: try row.integer(Column.isBackupEligible) == 1,
            isBackedUp: try row.integer(Column.isBackedUp) == 1, aaguid: try row.blob(Column.aaguid),
            transports: try row.text(Column.transports), name: try row.text(Column.name),
            createdAt: try row.date(Column.createdAt), lastUsedAt: try row.optionalDate(Column.lastUsedAt),
            userHandle: try row.optionalBlob(Column.userHandle))
    }
}
