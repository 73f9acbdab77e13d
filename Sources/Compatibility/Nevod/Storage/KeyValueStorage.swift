// SPDX-License-Identifier: Apache-2.0

/// Keeps text and bytes by name.
///
/// The requirements may fail, since keychains and files do; a type whose methods cannot fail satisfies them too.
public protocol KeyValueStorage: Sendable {
    /// The text kept under `key`; nil only where there is none.
    func string(for key: StorageKey) async throws -> String?

    /// The bytes kept under `key`; nil only where there are none.
    func data(for key: StorageKey) async throws -> Data?

    /// Keeps text under `key`; nil removes what is there.
    func set(_ value: String?, for key: StorageKey) async throws

    /// Keeps bytes under `key`; nil removes what is there.
    ///
    /// What was there before stays there whole, or is replaced whole.
    func set(_ value: Data?, for key: StorageKey) async throws

    /// Removes what is kept under `key`; removing nothing is no error.
    func remove(for key: StorageKey) async throws
}
