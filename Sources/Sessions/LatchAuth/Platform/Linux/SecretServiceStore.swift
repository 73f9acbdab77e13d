// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import LatchCore
import LatchJOSE

/// A store of named secrets in the keyring of the user's desktop, through the freedesktop Secret Service API.
///
/// GNOME's keyring, KWallet and KeePassXC implement this API. Each secret is an item with the attributes `service` and
/// `name` in the default collection. It is stored as base64url, because some services do not store arbitrary bytes.
/// Only items of this service are ever read or removed. Labels and attributes are not encrypted, and contain no secret.
///
/// libsecret is loaded at the first use. Without libsecret, or without a Secret Service on the session's bus, every
/// call throws `storeUnavailable` with the reason.
package struct SecretServiceStore: SecretStore {
    /// The service that owns the secrets.
    private let service: String
    private let promptsUser: Bool
    private let limit: Duration
    /// The queue of blocking calls, which may wait for the service or the user.
    private let queue = DispatchQueue(label: "latch.secret-service")

    /// Creates a store of the secrets of a service.
    ///
    /// - Parameters:
    ///   - service: The name of the program, such as its bundle identifier.
    ///   - promptsUser: Whether the desktop may ask the user to unlock the keyring. Otherwise a locked keyring is
    ///     `storeLocked`. A dismissed prompt is `storeDenied`.
    ///   - limit: The time limit for one operation, without prompts. After it the error is `storeUnavailable`, because
    ///     a bus or a service that hangs would never answer.
    package init(service: String, promptsUser: Bool = false, limit: Duration = Self.usualLimit) {
        self.service = service
        self.limit = limit
        self.promptsUser = promptsUser
    }

    /// The default time limit for one operation, which is less than GLib's 25 seconds for one call.
    package static let usualLimit = Duration.seconds(20)

    /// Returns the secret with a name.
    package func read(_ name: String) async throws -> [UInt8]? {
        try await onQueue { connection in
            guard let text = try connection.read(key(name)) else { return nil }
            return try Self.decode(text, of: name)
        }
    }

    /// Stores a secret under a name; a malformed item is set aside first.
    package func write(_ secret: [UInt8], for name: String) async throws {
        let text = Array(Base64URL.encode(secret).utf8)
        try await onQueue { connection in
            if let damaged = try connection.read(key(name)), (try? Self.decode(damaged, of: name)) == nil {
                try connection.write(damaged, to: key("\(name) \(Self.mark(of: damaged))", schema: .setAside))
            }
            try connection.write(text, to: key(name))
        }
    }

    /// Removes the secret with a name.
    package func remove(_ name: String) async throws { try await onQueue { try $0.remove(key(name)) } }

    /// Returns the names of all secrets, sorted.
    package func names() async throws -> [String] {
        try await onQueue { try $0.names(key("")).map(SecretServiceKey.name(in:)) }.sorted()
    }

    /// Checks whether a secret could be written now, without writing one or showing a prompt.
    ///
    /// - Throws: The error of a write.
    package func check() async throws { try await onQueue { try $0.unlock(asking: false) } }

    private func key(_ name: String, schema: SecretServiceKey.Schema = .secret) -> SecretServiceKey {
        SecretServiceKey(schema: schema, service: service, name: name)
    }

    /// Runs `body` with a new connection, which costs about 5 ms and is never a broken one.
    ///
    /// If the keyring is locked and a prompt is allowed, `body` runs again after the prompt.
    private func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (SecretServiceConnection) throws -> Result
    ) async throws -> Result {
        try await queue.run { [promptsUser, limit] in
            let connection = try SecretServiceConnection(limit: limit)
            do {
                return try body(connection)
            } catch AuthError.storeLocked where promptsUser {
                try connection.unlock(asking: true)
                return try body(connection)
            }
        }
    }

    private static func decode(_ text: [UInt8], of name: String) throws -> [UInt8] {
        do {
            return try Base64URL.decode(String(decoding: text, as: UTF8.self))
        } catch {
            throw AuthError.store(.storeCorrupt, "the item '\(name)' of the Secret Service")
        }
    }

    /// Returns a hash that distinguishes damaged items with one name.
    private static func mark(of bytes: [UInt8]) -> String {
        String(bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
    }
}
#endif
