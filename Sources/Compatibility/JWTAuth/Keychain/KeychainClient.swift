// SPDX-License-Identifier: Apache-2.0

package import LatchAuth

/// Named texts in a safe place.
///
/// ```swift
/// extension KeychainClient.Keys { static let deviceID = Self(value: "device_id") }
/// try await keychainClient.save(id, as: .deviceID)
/// ```
///
/// A session keeps its tokens here as one record, so that no failure and no crash leaves half a pair. `accessToken` and
/// `refreshToken` read from that record; a pair of items that was kept one by one is taken over by the next save.
public struct KeychainClient: Sendable {
    /// Keeps a text, in place of what was kept under that key.
    public var save: @Sendable (_ value: String, _ key: Keys) async throws -> Void
    /// What is kept; nil only where there is nothing.
    public var load: @Sendable (_ key: Keys) async throws -> String?
    /// Forgets what is kept; forgetting nothing is no error.
    public var delete: @Sendable (_ key: Keys) async throws -> Void
    /// Forgets all that this client keeps, and nothing of others.
    public var reset: @Sendable () async throws -> Void

    /// How the sessions over this place take turns; nil where there is only one of them.
    package var coordination: (any SessionCoordination)?
    /// Where an earlier version kept a pair under the bare names of its keys; nil where there is no such place.
    package var earlier: (any SecretStore)?

    /// A client of closures.
    public init(
        save: @escaping @Sendable (_ value: String, _ key: Keys) async throws -> Void,
        load: @escaping @Sendable (_ key: Keys) async throws -> String?,
        delete: @escaping @Sendable (_ key: Keys) async throws -> Void,
        reset: @escaping @Sendable () async throws -> Void
    ) {
        self.save = save
        self.load = load
        self.delete = delete
        self.reset = reset
    }

    /// The name of what is kept.
    public struct Keys: Hashable, Sendable {
        /// The name.
        public let value: String

        /// A name of the program's own.
        public init(value: String) { self.value = value }

        /// The access token of who is signed in.
        public static let accessToken = Keys(value: "accessToken")
        /// The refresh token of who is signed in.
        public static let refreshToken = Keys(value: "refreshToken")
        /// The session's record, which holds both.
        package static let session = Keys(value: "authSession")

        /// Whether it names a half of the pair.
        var isHalf: Bool { self == .accessToken || self == .refreshToken }
    }

    /// Keeps a text.
    public func save(_ value: String, as key: Keys) async throws { try await save(value, key) }

    /// The tokens that are kept; nil where one of the two is missing.
    public func loadTokens() async throws -> AuthTokens? {
        do {
            if let record = try await KeychainRecords(keychain: self).kept() { return record.credential }
            guard let access = try await load(.accessToken), let refresh = try await load(.refreshToken) else {
                return nil
            }
            return AuthTokens(access: access, refresh: refresh)
        } catch {
            throw KeychainError.loading(error)
        }
    }
}
