// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
public import LatchHTTP

/// A store of cookies under one name in a `SecretStore`, as JSON with all attributes.
///
/// A record that cannot be read is set aside under the name with the suffix `.damaged`, and the read fails once. After
/// that the store is empty, and the next login or change begins a new record.
public struct SecretCookieStore: TokenStore {
    /// The store of the record, whose guarantees this type passes on without additions.
    private let secrets: any SecretStore
    /// The name of the record.
    ///
    /// Errors may quote it, so it must not be a secret.
    private let name: String
    private let keepsSessionCookies: Bool

    /// Creates a store of cookies inside `secrets`.
    ///
    /// - Parameters:
    ///   - secrets: The store that contains the secret.
    ///   - name: The name of the secret; one name for each account.
    ///   - keepsSessionCookies: Whether cookies without an expiry outlive the process. In a browser they do not (RFC
    ///     6265bis §5.7). A command that runs once for each request needs them longer.
    public init(_ secrets: any SecretStore, name: String, keepsSessionCookies: Bool = true) {
        self.secrets = secrets
        self.name = name
        self.keepsSessionCookies = keepsSessionCookies
    }

    /// Replaces the stored cookies.
    public func save(_ cookies: [Cookie]) async throws {
        let kept = keepsSessionCookies ? cookies : cookies.filter(\.isPersistent)
        try await secrets.write(Array(JSONEncoder().encode(kept)), for: name)
    }

    /// Returns the stored cookies, including expired ones.
    ///
    /// - Throws: `AuthError.storeCorrupt` once if the record cannot be read; it is then set aside.
    public func load() async throws -> [Cookie]? {
        guard let record = try await secrets.read(name) else { return nil }
        do {
            return try JSONDecoder().decode([Cookie].self, from: Data(record))
        } catch {
            // The copy comes before the removal: a crash in between repeats the copy.
            try await secrets.write(record, for: "\(name).damaged")
            try await secrets.remove(name)
            // The decoding error may quote the record, so it is not passed on.
            throw AuthError.store(
                .storeCorrupt, "the record '\(name)' contains no cookies; it is now '\(name).damaged'")
        }
    }

    /// Removes the stored cookies.
    public func clear() async throws { try await secrets.remove(name) }

    /// Fills a jar with the stored cookies, then stores the jar's cookies after each change.
    ///
    /// It returns when its task is canceled, after it has stored the last change. Start it before you use the jar,
    /// because the stored cookies replace those of the jar.
    ///
    /// - Throws: As `load()`, and if a change cannot be stored; the jar itself stays usable.
    public func follow(_ jar: CookieJar) async throws {
        let changes = jar.changes
        if let kept = try await load() { jar.insert(kept) }
        for await _ in changes { try await save(jar.cookies) }
        // This task is canceled, and its calls would be canceled with it.
        try await Task { try await save(jar.cookies) }.value
    }
}
