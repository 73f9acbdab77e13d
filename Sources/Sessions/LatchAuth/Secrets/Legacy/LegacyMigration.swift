// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
import LatchJOSE

/// A migration of an account from another library's layout into a `TokenRecord`.
///
/// ```swift
/// let outcome = try await LegacyMigration(.jwtAuth, in: keychain).run(into: store)
/// ```
///
/// It may be interrupted at any point and repeated: the old secrets are removed only after the new record has been read
/// back. If the old store cannot be read (locked, denied), it throws and changes nothing.
package struct LegacyMigration: Sendable {
    private let layout: LegacyLayout
    private let old: any SecretStore
    private let random: RandomSource

    /// Creates a migration of the account in `layout` from `old`.
    package init(_ layout: LegacyLayout, in old: any SecretStore, random: RandomSource = .system) {
        self.layout = layout
        self.old = old
        self.random = random
    }

    /// Returns the account in the old layout; nil if it is missing or incomplete.
    ///
    /// - Throws: `AuthError.storeCorrupt` if a secret is malformed, and the errors of the store.
    package func account() async throws -> LegacyAccount? {
        switch try await LegacyRecord(layout, from: old).content {
        case .nothing, .incomplete: return nil
        case .account(let account): return account
        case .unreadable(let names):
            throw AuthError.store(.storeCorrupt, "in the old layout: \(names.joined(separator: ", "))")
        }
    }

    /// Stores the account in `store`, reads it back, and then removes it from the old store.
    ///
    /// An existing account in `store` is newer, and stays. Sessions in other processes wait during the migration,
    /// through the store's coordination.
    ///
    /// - Throws: A `store…` code if one of the two stores cannot be used; the account is then still in the old store.
    @discardableResult
    package func run(into store: some TokenRecordStore<Tokens>) async throws -> Outcome {
        let lock = try await store.coordination?.enter(.store)
        defer { lock?.release() }
        let found = try await LegacyRecord(layout, from: old)
        switch found.content {
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
    ) async throws -> Outcome {
        if try await holdsAccount(store) {
            try await remove(found)
            return .superseded
        }
        try await store.save(record: TokenRecord(credential: account.tokens, sessionID: random.identifier()))
        guard try await store.loadRecord()?.credential == account.tokens else {
            throw AuthError.store(.storeUnavailable, "the account was missing when it was read back")
        }
        try await remove(found)
        await store.coordination?.announceChange()
        return .migrated(account)
    }

    /// Whether the store already has a record.
    ///
    /// A malformed record may be the old record itself, if both have the same name.
    private func holdsAccount(_ store: some TokenRecordStore<Tokens>) async throws -> Bool {
        do {
            return try await store.loadRecord() != nil
        } catch AuthError.storeCorrupt {
            return false
        }
    }

    /// Removes the secrets that were read, but not secrets that have replaced them since.
    private func remove(_ found: LegacyRecord) async throws {
        for name in layout.names {
            guard let secret = found.secrets[name], try await old.read(name) == secret else { continue }
            try await old.remove(name)
        }
    }

    /// Moves malformed secrets to unused names, so that they are not lost.
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

/// An account that another library stored.
package struct LegacyAccount: Sendable, Hashable {
    /// The tokens.
    ///
    /// Their expiry is the stored one, or else that of the access token if it is a JWT.
    package let tokens: Tokens
    /// The user, if the layout contains it.
    package let userID: String?

    /// Creates an account.
    package init(tokens: Tokens, userID: String? = nil) {
        self.tokens = tokens
        self.userID = userID
    }
}

extension LegacyLayout {
    /// Returns the account in a layout with one secret; nil if the secret has another layout.
    func account(in secret: [UInt8], named name: String) -> LegacyAccount? {
        guard case .account(let account) = LegacyRecord(self, name: name, secret: secret).content else { return nil }
        return account
    }
}

extension LegacyMigration {
    /// The result of a migration.
    package enum Outcome: Sendable, Hashable {
        /// The old store has no account.
        case nothing
        /// The account was moved.
        case migrated(LegacyAccount)
        /// The new store already has an account; the old one was removed.
        case superseded
        /// The account was incomplete and was removed.
        case incomplete
        /// The secrets were malformed and are kept under these names.
        case setAside([String])
    }
}

/// The stored secrets of an old layout.
private struct LegacyRecord {
    /// The meaning of the secrets.
    enum Content {
        case nothing
        case account(LegacyAccount)
        case incomplete
        /// The secrets with these names do not match the layout.
        case unreadable([String])
    }

    let layout: LegacyLayout
    /// The secrets by name.
    let secrets: [String: [UInt8]]

    /// Reads all secrets of the layout.
    init(_ layout: LegacyLayout, from store: any SecretStore) async throws {
        self.layout = layout
        var secrets: [String: [UInt8]] = [:]
        for name in layout.names { secrets[name] = try await store.read(name) }
        self.secrets = secrets
    }

    /// Creates a record of one secret.
    init(_ layout: LegacyLayout, name: String, secret: [UInt8]) {
        self.layout = layout
        secrets = [name: secret]
    }

    /// The meaning of the secrets together.
    ///
    /// A malformed optional field is dropped, so that the account is not lost.
    var content: Content {
        guard !secrets.isEmpty else { return .nothing }
        var fields: [LegacyLayout.Field: String] = [:]
        var unreadable: [String] = []
        for location in layout.locations {
            do {
                fields[location.field] = try text(at: location)
            } catch {
                if layout.required.contains(location.field), !unreadable.contains(location.name) {
                    unreadable.append(location.name)
                }
            }
        }
        guard unreadable.isEmpty else { return .unreadable(unreadable) }
        guard let access = fields[.access], layout.required.isSubset(of: fields.keys) else { return .incomplete }
        let tokens = Tokens(
            access: access, refresh: fields[.refresh],
            expiry: fields[.expiry].flatMap { date($0) } ?? Self.expiry(of: access),
            scope: fields[.scope].map(Self.scope), userID: fields[.user])
        return .account(LegacyAccount(tokens: tokens, userID: fields[.user]))
    }

    /// Returns the text at a location; nil if it is missing or empty.
    ///
    /// - Throws: `storeCorrupt` if the bytes are not text, or the member is neither a string nor a number.
    private func text(at location: LegacyLayout.Location) throws -> String? {
        guard let bytes = secrets[location.name] else { return nil }
        guard let member = location.member else {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw AuthError.storeCorrupt }
            return text.isEmpty ? nil : text
        }
        guard let object = try JSONValue(parsing: bytes).objectValue else { throw AuthError.storeCorrupt }
        switch object[member] {
        case .string(let text): return text.isEmpty ? nil : text
        case .integer(let number): return String(number)
        case .number(let number): return String(number)
        case nil, .null: return nil
        case .bool, .array, .object: throw AuthError.storeCorrupt
        }
    }

    /// Parses a date as a number of seconds or in ISO 8601, with or without fractions; returns nil for anything else.
    private func date(_ text: String) -> Date? {
        if let seconds = Double(text) {
            guard seconds.isFinite else { return nil }
            // Versions have written either epoch. Seconds since 2001 reach 1,200,000,000 in 2039.
            return layout.epoch == .unix || seconds > 1_200_000_000
                ? Date(timeIntervalSince1970: seconds) : Date(timeIntervalSinceReferenceDate: seconds)
        }
        let whole = Date.ISO8601FormatStyle()
        let fractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // A malformed date counts as unknown: the server then decides about the access token.
        return (try? whole.parse(text)) ?? (try? fractions.parse(text))
    }

    /// Returns the expiry of a token; nil if it is not a JWT or has no `exp` (RFC 7519 §4.1.4).
    private static func expiry(of access: String) -> Date? {
        do { return try JWT(unverified: access).claims.expiry } catch { return nil }
    }

    /// Returns the scopes separated by spaces, from a string with spaces or commas, or from a JSON array.
    private static func scope(_ text: String) -> String {
        let array = text.utf8.first == UInt8(ascii: "[") ? try? JSONValue(parsing: Array(text.utf8)).arrayValue : nil
        let scopes =
            array?.compactMap(\.stringValue) ?? text.unicodeScalars.split { $0 == " " || $0 == "," }.map({ String($0) })
        return scopes.joined(separator: " ")
    }
}
