// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Brings an account from another library's layout into a `TokenRecord`.
///
/// ```swift
/// let outcome = try await LegacyMigration(.jwtAuth, in: keychain).run(into: store)
/// ```
///
/// It may be interrupted anywhere and repeated: the old secrets go only after the new record has been read back. Where
/// the old place cannot be read (locked, denied), it throws and changes nothing.
public struct LegacyMigration: Sendable {
    private let layout: LegacyLayout
    private let old: any SecretStore
    private let random: RandomSource

    /// A migration of what `old` holds in `layout`.
    public init(_ layout: LegacyLayout, in old: any SecretStore, random: RandomSource = .system) {
        self.layout = layout
        self.old = old
        self.random = random
    }

    /// The account in the old layout; nil where there is none or only a part of one.
    ///
    /// - Throws: `AuthError.storeCorrupt` where something is there that cannot be read, and what the store throws.
    public func account() async throws -> LegacyAccount? {
        switch try await LegacyRecord(layout, from: old).reading {
        case .nothing, .incomplete: return nil
        case .account(let account): return account
        case .unreadable(let names):
            throw AuthError.store(.storeCorrupt, "in the old layout: \(names.joined(separator: ", "))")
        }
    }

    /// Stores the account in `store`, reads it back, and then removes it from its old place.
    ///
    /// An account that `store` holds already is the newer one and stays. Sessions in other processes wait meanwhile, by
    /// the store's coordination.
    ///
    /// - Throws: A `store…` code where one of the two places cannot be used; the account is then still in the old one.
    @discardableResult
    public func run(into store: some TokenRecordStore<Tokens>) async throws -> LegacyOutcome {
        let turn = try await store.coordination?.enter(.store)
        defer { turn?.end() }
        let found = try await LegacyRecord(layout, from: old)
        switch found.reading {
        case .nothing:
            return .nothing
        case .incomplete:
            try await remove(found)
            return .incomplete
        case .unreadable(let names):
            return .setAside(try await setAside(names, of: found))
        case .account(let account):
            return try await move(account, of: found, into: store)
        }
    }

    private func move(
        _ account: LegacyAccount, of found: LegacyRecord, into store: some TokenRecordStore<Tokens>
    ) async throws -> LegacyOutcome {
        if try await holdsAccount(store) {
            try await remove(found)
            return .superseded
        }
        try await store.save(record: TokenRecord(credential: account.tokens, signIn: random.identifier()))
        guard try await store.loadRecord()?.credential == account.tokens else {
            throw AuthError.store(.storeUnavailable, "the account was not there when it was read back")
        }
        try await remove(found)
        await store.coordination?.announceChange()
        return .migrated(account)
    }

    /// Whether somebody is, or was, signed in there by now.
    ///
    /// A record that is none may be the old one itself, where both have one name.
    private func holdsAccount(_ store: some TokenRecordStore<Tokens>) async throws -> Bool {
        do {
            return try await store.loadRecord() != nil
        } catch AuthError.storeCorrupt {
            return false
        }
    }

    /// Removes what was read, and nothing that has taken its place since.
    private func remove(_ found: LegacyRecord) async throws {
        for name in layout.names {
            guard let secret = found.secrets[name], try await old.read(name) == secret else { continue }
            try await old.remove(name)
        }
    }

    /// Moves secrets that nobody can read to free names, so that they disturb nobody and are not lost.
    private func setAside(_ names: [String], of found: LegacyRecord) async throws -> [String] {
        var kept: [String] = []
        for name in names {
            guard let secret = found.secrets[name] else { continue }
            kept.append(try await old.setAside(secret, of: name))
            try await old.remove(name)
        }
        return kept
    }
}
