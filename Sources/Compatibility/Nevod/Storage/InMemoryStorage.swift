// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A storage that ends with the process, for tests and previews.
public final class InMemoryStorage: KeyValueStorage {
    private let kept = Mutex<[StorageKey: Data]>([:])

    /// An empty storage.
    public init() {}

    /// The text kept under `key`.
    public func string(for key: StorageKey) -> String? {
        data(for: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The bytes kept under `key`.
    public func data(for key: StorageKey) -> Data? { kept.withLock { $0[key] } }

    /// Keeps text under `key`; nil removes what is there.
    public func set(_ value: String?, for key: StorageKey) { set(value.map { Data($0.utf8) }, for: key) }

    /// Keeps bytes under `key`; nil removes what is there.
    public func set(_ value: Data?, for key: StorageKey) { kept.withLock { $0[key] = value } }

    /// Removes what is kept under `key`.
    public func remove(for key: StorageKey) { kept.withLock { $0[key] = nil } }
}
