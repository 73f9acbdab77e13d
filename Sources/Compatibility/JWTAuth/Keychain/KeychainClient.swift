// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth

/// A storage of named secrets.
///
/// ```swift
/// extension KeychainClient.Keys { static let deviceID = Self(value: "device_id") }
/// try await keychainClient.save(id, as: .deviceID)
/// ```
///
/// A session stores its tokens here as one record, so a failure or a crash cannot leave only one of them. `accessToken`
/// and `refreshToken` read from that record. Tokens in separate items are migrated by the next save.
public struct KeychainClient: Sendable {
    /// Stores a text; it replaces an earlier text under the key.
    public var save: @Sendable (_ value: String, _ key: Keys) async throws -> Void
    /// Returns the stored text; nil only if there is none.
    public var load: @Sendable (_ key: Keys) async throws -> String?
    /// Deletes the stored text; deleting nothing is not an error.
    public var delete: @Sendable (_ key: Keys) async throws -> Void
    /// Deletes everything that this client stores, and nothing else.
    public var reset: @Sendable () async throws -> Void

    /// The coordination between sessions over this storage; nil for a single session.
    package var coordination: (any SessionCoordination)?
    /// The store in which an earlier version kept both tokens under the bare names of their keys; nil if there is none.
    package var earlier: (any SecretStore)?

    /// Creates a client from closures.
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

    /// The name of a stored text.
    public struct Keys: Hashable, Sendable {
        /// The name.
        public let value: String

        /// Creates a name.
        public init(value: String) { self.value = value }

        /// The access token of the signed-in user.
        public static let accessToken = Keys(value: "accessToken")
        /// The refresh token of the signed-in user.
        public static let refreshToken = Keys(value: "refreshToken")
        /// The session's record, which holds both.
        package static let session = Keys(value: "authSession")

        /// Whether the key names one of the two tokens.
        var isHalf: Bool { self == .accessToken || self == .refreshToken }
    }

    /// Stores a text.
    public func save(_ value: String, as key: Keys) async throws { try await save(value, key) }

    /// Returns the stored tokens; nil if one of the two is missing.
    public func loadTokens() async throws -> AuthTokens? {
        do {
            if let record = try await KeychainRecords(keychain: self).kept() {
                return record.credential.map(AuthTokens.init)
            }
            guard let access = try await load(.accessToken), let refresh = try await load(.refreshToken) else {
                return nil
            }
            return AuthTokens(access: access, refresh: refresh)
        } catch {
            throw KeychainError.loading(error)
        }
    }
}

extension KeychainClient {
    /// Creates a client over a secret store.
    ///
    /// - Parameters:
    ///   - secrets: The store of the texts.
    ///   - prefix: The prefix of their names in the store; `reset` deletes only the names with this prefix. Each
    ///     account of a program needs its own prefix.
    public init(over secrets: any SecretStore, prefix: String = "JWTAuth.") {
        self.init(over: secrets, prefix: prefix, coordination: nil)
    }

    /// Creates a client over a secret store; `coordination` lets its sessions take turns.
    package init(over secrets: any SecretStore, prefix: String = "JWTAuth.", coordination: (any SessionCoordination)?) {
        let items = KeychainItems(secrets: secrets, prefix: prefix)
        self.init(
            save: { try await items.save($0, as: $1) }, load: { try await items.load($0) },
            delete: { try await items.delete($0) }, reset: { try await items.reset() })
        self.coordination = coordination
    }

    /// Returns a client of the platform's secret store, shared by all processes of this user.
    ///
    /// - Parameters:
    ///   - service: The name of the program; nil for its bundle's identifier, or the process's name.
    ///   - account: The name of the account, if the program has several.
    public static func live(service: String? = nil, account: String = "default") -> KeychainClient {
        let service = service ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        let secrets = platformSecretStore(service: service)
        var client = KeychainClient(
            over: secrets, prefix: "JWTAuth.\(account).",
            coordination: platformCoordination(service: service, account: "JWTAuth.\(account)"))
        // The original library keeps the tokens of its only account under the bare names.
        if account == "default" { client.earlier = secrets }
        return client
    }

    /// Returns a client that stores in memory, for tests and previews.
    ///
    /// - Parameter tokens: The initial tokens.
    public static func inMemory(_ tokens: AuthTokens? = nil) -> KeychainClient {
        let secrets = InMemorySecretStore()
        let prefix = "JWTAuth."
        // Tokens can always be encoded.
        if let tokens, let text = try? KeychainRecords.text(of: TokenRecord(credential: tokens.core)) {
            secrets.write(Array(text.utf8), for: prefix + Keys.session.value)
        }
        return KeychainClient(over: secrets, prefix: prefix)
    }
}

/// The texts under names with a prefix in a secret store; errors are converted to those of this package.
private struct KeychainItems: Sendable {
    let secrets: any SecretStore
    let prefix: String

    private func name(_ key: KeychainClient.Keys) -> String { prefix + key.value }

    private func read(_ key: KeychainClient.Keys) async throws -> String? {
        guard let bytes = try await secrets.read(name(key)) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw AuthError.storeCorrupt }
        return text
    }

    /// Returns the tokens of the session's record.
    private func pair() async throws -> AuthTokens? {
        try KeychainRecords.record(in: try await read(.session))?.credential.map(AuthTokens.init)
    }

    func load(_ key: KeychainClient.Keys) async throws -> String? {
        do {
            guard key.isHalf, let pair = try await pair() else { return try await read(key) }
            return key == .accessToken ? pair.access : pair.refresh
        } catch {
            throw KeychainError.loading(error)
        }
    }

    func save(_ value: String, as key: KeychainClient.Keys) async throws {
        do {
            // If there is a record, a separately stored token would never be read.
            if key.isHalf, try await pair() != nil {
                throw KeychainError.savingFailed(
                    message: "A user is signed in. Save both tokens together with AuthTokensClient.")
            }
            try await secrets.write(Array(value.utf8), for: name(key))
        } catch {
            throw KeychainError.saving(error)
        }
    }

    /// Deletes a text.
    ///
    /// If the record contains the token, the whole record is deleted, because one token cannot sign a user in.
    func delete(_ key: KeychainClient.Keys) async throws {
        do {
            let isPart = key.isHalf ? try await read(key) == nil : false
            try await secrets.remove(name(isPart ? .session : key))
        } catch {
            throw KeychainError.saving(error)
        }
    }

    func reset() async throws {
        do {
            for name in try await secrets.names() where name.utf8.starts(with: prefix.utf8) {
                try await secrets.remove(name)
            }
        } catch {
            throw KeychainError.saving(error)
        }
    }
}

/// An error of the keychain; it never means that a secret does not exist.
public enum KeychainError: LocalizedError, Equatable {
    /// A failed write; the earlier value is still stored.
    case savingFailed(message: String)
    /// A failed read; the value may exist.
    case loadingFailed(message: String)

    /// A description for users.
    public var errorDescription: String? {
        switch self {
        case .savingFailed(let message): "Saving to keychain failed. Reason: \(message)"
        case .loadingFailed(let message): "Loading from keychain failed. Reason: \(message)"
        }
    }

    /// The reason, such as `AuthError.storeLocked`; nil if it is not an error of the store.
    public var reason: AuthError? {
        let message =
            switch self {
            case .savingFailed(let message), .loadingFailed(let message): message
            }
        return Self.reasons.first { message.utf8.starts(with: $0.message.utf8) }
    }

    private static let reasons: [AuthError] = [
        .storeLocked, .storeDenied, .storeCorrupt, .storeFull, .storeUnavailable,
    ]

    static func saving(_ error: any Error) -> any Error { mapped(error) { .savingFailed(message: $0) } }

    static func loading(_ error: any Error) -> any Error { mapped(error) { .loadingFailed(message: $0) } }

    /// Converts an error of a store; other errors are unchanged.
    private static func mapped(_ error: any Error, as make: (String) -> KeychainError) -> any Error {
        guard let error = error as? AuthError, reasons.contains(error) else { return error }
        if let cause = error.cause as? KeychainError { return cause }
        return make(error.message)
    }
}
