// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
public import LatchHTTP

/// Keeps cookies under one name in a `SecretStore`, as JSON, with every attribute.
///
/// A record that cannot be read is set aside under the name with `.damaged` behind it, and the reading fails once; from
/// then on nothing is kept there, and the next login or change begins a new record.
public struct SecretCookieStore: TokenStore {
    /// Where the record is kept, with its guarantees: this type adds none.
    private let secrets: any SecretStore
    /// May be told in errors, so it must be no secret.
    private let name: String
    private let keepsSessionCookies: Bool

    /// A store of cookies inside `secrets`.
    ///
    /// - Parameters:
    ///   - name: The name of the secret; one name for each account.
    ///   - keepsSessionCookies: Whether cookies without a date of expiry outlive the process. For a browser they do not
    ///     (RFC 6265bis §5.7); for a command that runs once for each request the session is longer than that.
    public init(_ secrets: any SecretStore, name: String, keepsSessionCookies: Bool = true) {
        self.secrets = secrets
        self.name = name
        self.keepsSessionCookies = keepsSessionCookies
    }

    /// Replaces what is kept.
    public func save(_ cookies: [Cookie]) async throws {
        let kept = keepsSessionCookies ? cookies : cookies.filter(\.isPersistent)
        try await secrets.write(Array(JSONEncoder().encode(kept)), for: name)
    }

    /// What is kept, with those that have expired meanwhile.
    ///
    /// - Throws: `AuthError.storeCorrupt`, once, when the record cannot be read; it is then set aside.
    public func load() async throws -> [Cookie]? {
        guard let record = try await secrets.read(name) else { return nil }
        do {
            return try JSONDecoder().decode([Cookie].self, from: Data(record))
        } catch {
            // First the copy, then the removal: a crash in between repeats the copy.
            try await secrets.write(record, for: "\(name).damaged")
            try await secrets.remove(name)
            // The decoding error may quote the record: only its kind is told.
            throw AuthError.store(.storeCorrupt, "the record '\(name)' holds no cookies; it is now '\(name).damaged'")
        }
    }

    /// Forgets what is kept.
    public func clear() async throws { try await secrets.remove(name) }

    /// Fills a jar with what is kept, and from then on keeps what is in the jar after each change.
    ///
    /// It returns when its task is cancelled, with the last change stored. Begin it before the jar is used: what is kept
    /// replaces what the jar holds already.
    ///
    /// - Throws: As `load()`, and where a change cannot be stored; the jar itself goes on.
    public func follow(_ jar: CookieJar) async throws {
        let changes = jar.changes
        if let kept = try await load() { jar.insert(kept) }
        for await _ in changes { try await save(jar.cookies) }
        // This task is cancelled, and what it calls would be too.
        try await Task { try await save(jar.cookies) }.value
    }
}
