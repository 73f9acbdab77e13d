// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchJOSE
import PortableFoundation

/// A migration of an account from another library's layout into a `TokenRecord`.
///
/// ```swift
/// let outcome = try await LegacyMigration(.jwtAuth, in: keychain).run(into: store)
/// ```
///
/// It may be interrupted anywhere and repeated: the old secrets are removed only after the new record has been read back.
/// If the old store cannot be read (locked, denied), it throws and changes nothing.
package struct LegacyMigration: Sendable {
    /// The result of a migration.
    package enum Outcome: Sendable, Hashable {
        /// The old store has no account.
        case nothing
        /// The account was moved; the expiry is the stored one, else that of the access token if it is a JWT.
        case migrated(Tokens)
        /// The new store has an account already; the old one was removed.
        case superseded
        /// The account was incomplete and was removed.
        case incomplete
        /// The secrets were malformed and are kept under these names.
        case setAside([String])
    }

    private let layout: LegacyLayout
    private let old: any SecretStore
    private let random: RandomSource

    /// Creates a migration of the account in `layout` from `old`.
    package init(_ layout: LegacyLayout, in old: any SecretStore, random: RandomSource = .system) {
        self.layout = layout
        self.old = old
        self.random = random
    }

    /// Stores the account in `store`, reads it back, and then removes it from the old store.
    ///
    /// An existing account of `store` is newer and stays. Sessions in other processes wait meanwhile, by the store's
    /// coordination.
    ///
    /// - Throws: A `store…` code if one of the two stores cannot be used; the account is then still in the old one.
    @discardableResult
    package func run(into store: some TokenRecordStore<Tokens>) async throws -> Outcome {
        let lock = try await store.coordination?.enter(.store)
        defer { lock?.release() }
        let found = try await LegacyRecord(layout, from: old)
        guard !found.secrets.isEmpty else { return .nothing }
        guard found.unreadable.isEmpty else { return .setAside(try await setAside(found)) }
        guard let tokens = found.tokens else {
            try await remove(found)
            return .incomplete
        }
        if try await holdsAccount(store) {
            try await remove(found)
            return .superseded
        }
        try await store.save(record: TokenRecord(credential: tokens, sessionID: random.identifier()))
        guard try await store.loadRecord()?.credential == tokens else {
            throw AuthError.store(.storeUnavailable, "the account was missing when it was read back")
        }
        try await remove(found)
        await store.coordination?.announceChange()
        return .migrated(tokens)
    }

    /// Whether the store has a record already.
    ///
    /// A malformed record may be the old one itself, if both have the same name.
    private func holdsAccount(_ store: some TokenRecordStore<Tokens>) async throws -> Bool {
        do {
            return try await store.loadRecord() != nil
        } catch AuthError.storeCorrupt {
            return false
        }
    }

    /// Removes the secrets that were read, and none that has replaced them since.
    private func remove(_ found: LegacyRecord) async throws {
        for name in layout.names {
            guard let secret = found.secrets[name], try await old.read(name) == secret else { continue }
            try await old.remove(name)
        }
    }

    /// Moves malformed secrets to free names, so that they are not lost.
    private func setAside(_ found: LegacyRecord) async throws -> [String] {
        var kept: [String] = []
        for name in found.unreadable {
            guard let secret = found.secrets[name] else { continue }
            kept.append(try await old.setAside(secret, of: name))
            try await old.remove(name)
        }
        return kept
    }
}

/// The stored secrets of an old layout.
private struct LegacyRecord {
    /// The secrets by name.
    let secrets: [String: [UInt8]]
    /// The names of required secrets that are not text.
    let unreadable: [String]
    /// The account, without malformed optional fields; nil if a required field is missing or empty.
    let tokens: Tokens?

    /// Reads all secrets of a layout.
    init(_ layout: LegacyLayout, from store: any SecretStore) async throws {
        var secrets: [String: [UInt8]] = [:]
        var fields: [LegacyLayout.Field: String] = [:]
        var unreadable: [String] = []
        for (field, name) in layout.fields {
            guard let secret = try await store.read(name) else { continue }
            secrets[name] = secret
            if let text = String(validating: secret, as: UTF8.self) {
                fields[field] = text.isEmpty ? nil : text
            } else if field == .access || field == .refresh {
                unreadable.append(name)
            }
        }
        self.secrets = secrets
        self.unreadable = unreadable
        guard let access = fields[.access], let refresh = fields[.refresh] else {
            tokens = nil
            return
        }
        tokens = Tokens(
            access: access, refresh: refresh, expiry: fields[.expiry].flatMap(Self.date) ?? Self.expiry(of: access),
            scope: fields[.scope].map(Self.scope), userID: fields[.user])
    }

    /// Parses a date as seconds since 1970 or in ISO 8601, with or without fractions; returns nil for anything else.
    private static func date(_ text: String) -> Date? {
        if let seconds = Double(text) { return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil }
        let whole = Date.ISO8601FormatStyle()
        let fractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // A malformed date counts as unknown: the server then decides about the access token.
        return (try? whole.parse(text)) ?? (try? fractions.parse(text))
    }

    /// Returns the expiry of a token; nil if it is not a JWT, or one without `exp` (RFC 7519 §4.1.4).
    private static func expiry(of access: String) -> Date? {
        do { return try JWT(unverified: access).claims.expiry } catch { return nil }
    }

    /// Returns the scopes separated by spaces, whether they were stored with spaces, with commas, or as a JSON array.
    private static func scope(_ text: String) -> String {
        let array = text.hasPrefix("[") ? try? JSONValue(parsing: Array(text.utf8)).arrayValue : nil
        let scopes = array?.compactMap(\.stringValue) ?? text.split { $0 == " " || $0 == "," }.map(String.init)
        return scopes.joined(separator: " ")
    }
}
