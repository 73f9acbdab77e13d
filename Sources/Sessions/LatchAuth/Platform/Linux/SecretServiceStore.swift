// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CSecret
import Dispatch
import LatchCore
import LatchJOSE

/// Named bytes in the keyring of the person's desktop, by the freedesktop Secret Service API.
///
/// GNOME's keyring, KWallet and KeePassXC speak it. Each secret is an item with the attributes `service` and `name` in
/// the default collection, as base64url, since not every service keeps arbitrary bytes. Only items of this service are
/// ever read or removed. Labels and attributes are not encrypted and hold no secret.
///
/// libsecret is loaded at the first use; where it is not installed, or nobody keeps secrets on the session's bus, every
/// call throws `storeUnavailable` with the reason.
public struct SecretServiceStore: SecretStore {
    /// Whose secrets they are.
    private let service: String
    private let asksPerson: Bool
    /// A call may wait for the service, or for a person: not on a thread that tasks need.
    private let queue = DispatchQueue(label: "latch.secret-service")

    /// The secrets of a service.
    ///
    /// - Parameters:
    ///   - service: Names the program, such as its bundle identifier.
    ///   - asksPerson: Whether the desktop may ask the person to unlock the keyring; otherwise a locked one is
    ///     `storeLocked`. A closed question is `storeDenied`.
    public init(service: String, asksPerson: Bool = false) {
        self.service = service
        self.asksPerson = asksPerson
    }

    /// The bytes kept under `name`.
    public func read(_ name: String) async throws -> [UInt8]? {
        try await onQueue { connection in
            guard let text = try connection.read(key(name)) else { return nil }
            return try Self.decode(text, of: name)
        }
    }

    /// Keeps `secret` under `name`; an item that is no secret of ours is set aside first.
    public func write(_ secret: [UInt8], for name: String) async throws {
        let text = Array(Base64URL.encode(secret).utf8)
        try await onQueue { connection in
            if let damaged = try connection.read(key(name)), (try? Self.decode(damaged, of: name)) == nil {
                try connection.write(damaged, to: key("\(name) \(Self.mark(of: damaged))", schema: .setAside))
            }
            try connection.write(text, to: key(name))
        }
    }

    /// Forgets what is kept under `name`.
    public func remove(_ name: String) async throws {
        try await onQueue { try $0.remove(key(name)) }
    }

    /// The names under which something is kept, sorted.
    public func names() async throws -> [String] {
        try await onQueue { try $0.names(key("")).map(SecretServiceKey.name(in:)) }.sorted()
    }

    /// Finds out whether a secret could be written now, without writing one or asking anybody.
    ///
    /// - Throws: What a write would throw.
    package func check() async throws {
        try await onQueue { try $0.unlock(asking: false) }
    }

    private func key(_ name: String, schema: SecretServiceKey.Schema = .secret) -> SecretServiceKey {
        SecretServiceKey(schema: schema, service: service, name: name)
    }

    /// Runs `body` with a connection of its own, which costs some 5 ms and never is one that has broken meanwhile.
    ///
    /// Where the keyring is locked and the person may be asked, it runs again after the answer.
    private func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (SecretServiceConnection) throws -> Result
    ) async throws -> Result {
        let asksPerson = asksPerson
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Swift.Result {
                        let connection = try SecretServiceConnection()
                        do {
                            return try body(connection)
                        } catch AuthError.storeLocked where asksPerson {
                            try connection.unlock(asking: true)
                            return try body(connection)
                        }
                    })
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

    /// Tells damaged items of one name apart, and is the same for the same damage.
    private static func mark(of bytes: [UInt8]) -> String {
        String(bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
    }
}
#endif
