// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import Synchronization

/// A store of named secrets: a keychain, a secret service, an encrypted file, or memory.
public protocol SecretStore: Sendable {
    /// Returns the secret with a name; nil only if there is none.
    ///
    /// - Throws: `AuthError` with a `store…` code if the store cannot be read.
    func read(_ name: String) async throws -> [UInt8]?

    /// Stores a secret under a name, durably and atomically: a failure or a crash leaves the earlier secret.
    func write(_ secret: [UInt8], for name: String) async throws

    /// Removes the secret with a name; a missing secret is not an error.
    func remove(_ name: String) async throws

    /// Returns the names of all secrets, sorted.
    func names() async throws -> [String]
}

/// A secret store that ends with the process.
public final class InMemorySecretStore: SecretStore {
    private let secrets = Mutex<[String: [UInt8]]>([:])

    /// Creates an empty store.
    public init() {}

    /// Returns the secret with a name.
    public func read(_ name: String) -> [UInt8]? { secrets.withLock { $0[name] } }

    /// Stores a secret under a name.
    public func write(_ secret: [UInt8], for name: String) { secrets.withLock { $0[name] = secret } }

    /// Removes the secret with a name.
    public func remove(_ name: String) { secrets.withLock { $0[name] = nil } }

    /// Returns the names of all secrets, sorted.
    public func names() -> [String] { secrets.withLock { $0.keys.sorted() } }
}

extension SecretStore {
    /// Keeps a copy of an invalid secret before it is replaced.
    ///
    /// A store that is damaged as a whole sets itself aside.
    func setAside(_ name: String, unless isValid: ([UInt8]) -> Bool) async throws {
        let secret: [UInt8]?
        do { secret = try await read(name) } catch AuthError.storeCorrupt { return }
        if let secret, !isValid(secret) { _ = try await setAside(secret, of: name) }
    }

    /// Keeps a copy of a damaged secret under a name derived from its name.
    ///
    /// The same bytes are kept once, so that a repetition after an interruption leaves one copy.
    ///
    /// - Returns: The new name: `name.corrupt`, or the first unused name after it.
    func setAside(_ secret: [UInt8], of name: String) async throws -> String {
        for number in 1...1_000 {
            let copyName = "\(name)\(CorruptSecretName.suffix)" + (number == 1 ? "" : "-\(number)")
            guard let taken = try await read(copyName) else {
                try await write(secret, for: copyName)
                return copyName
            }
            if taken == secret { return copyName }
        }
        throw AuthError.store(.storeFull, "too many damaged copies of '\(name)'")
    }
}

/// The names of damaged secrets that were set aside, which do not name accounts.
package enum CorruptSecretName {
    static let suffix = ".corrupt"

    /// Whether a secret of this name was set aside by ``SecretStore/setAside(_:of:)``.
    package static func matches(_ name: String) -> Bool {
        guard let range = name.utf8.ranges(of: suffix.utf8).last else { return false }
        let rest = name[range.upperBound...]
        return rest.isEmpty || rest.utf8.first == UInt8(ascii: "-") && Int(Substring(rest.utf8.dropFirst())) != nil
    }
}

extension DispatchQueue {
    /// Runs blocking work, which the threads of tasks must not do.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
