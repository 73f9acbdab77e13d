// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The store that was chosen for a service, found at its first use and followed when the secrets are moved.
///
/// The first write records the choice; reading alone does not, so that a look over SSH does not decide for the desktop.
/// Each call holds a shared lock, which a migration waits for: no write can land in a store that is being left.
package final class ChosenSecretStore: SecretStore {
    private let selection: SecretStoreSelection
    /// What the last call has found, by the record that led to it.
    private let found = Mutex<(record: SecretStoreRecord?, choice: SecretStoreChoice, store: any SecretStore)?>(nil)

    package init(_ selection: SecretStoreSelection) { self.selection = selection }

    package func read(_ name: String) async throws -> [UInt8]? {
        try await using(writes: false) { try await $0.read(name) }
    }

    package func write(_ secret: [UInt8], for name: String) async throws {
        try await using(writes: true) { try await $0.write(secret, for: name) }
    }

    package func remove(_ name: String) async throws {
        try await using(writes: false) { try await $0.remove(name) }
    }

    package func names() async throws -> [String] {
        try await using(writes: false) { try await $0.names() }
    }

    private func using<Result: Sendable>(
        writes: Bool, _ body: (any SecretStore) async throws -> Result
    ) async throws -> Result {
        do {
            if writes { try await recordChoice() }
            let turn = try await selection.enter(alone: false, isNeeded: writes)
            defer { turn?.release() }
            let (choice, store) = try await current()
            do {
                return try await body(store)
            } catch let error as AuthError {
                throw Self.explained(error, choice, service: selection.service)
            }
        } catch let failure as FileFailure {
            throw AuthError.file(failure)
        }
    }

    /// The store of now; decided anew only where the record is another one.
    private func current() async throws -> (SecretStoreChoice, any SecretStore) {
        let record = try SecretStoreRecord.read(selection.recordFile)
        if let found = found.withLock({ $0 }), found.record == record { return (found.choice, found.store) }
        let choice = try await selection.choice(recorded: record)
        let store = try selection.store(choice.kind).store
        found.withLock { $0 = (record, choice, store) }
        return (choice, store)
    }

    /// Writes the choice down before the first secret is stored, once among all processes.
    private func recordChoice() async throws {
        if let found = found.withLock({ $0 }), found.choice.isRecorded { return }
        try selection.recordFile.makeFolder()
        let turn = try await selection.enter(alone: true, isNeeded: true)
        defer { turn?.release() }
        let record = try SecretStoreRecord.read(selection.recordFile)
        let choice = try await selection.choice(recorded: record)
        guard !choice.isRecorded else { return }
        try SecretStoreRecord(kind: choice.kind, reason: choice.reason).write(selection.recordFile)
    }

    /// Says of an error which store it comes from and why that one is used: never another one that is empty.
    private static func explained(_ error: AuthError, _ choice: SecretStoreChoice, service: String) -> AuthError {
        AuthError(
            code: error.code,
            message:
                "\(error.message) The secrets of '\(service)' are in the store '\(choice.kind)': \(choice.reason).",
            hint: error.hint, cause: error.cause)
    }
}

extension SecretStoreSelection {
    /// A turn at the choice: alone to change it, or with others to use it.
    ///
    /// - Parameter isNeeded: Whether there must be one; a folder that is not there, or takes no files, has no changes to
    ///   wait for.
    func enter(alone: Bool, isNeeded: Bool) async throws -> FileLock.Holder? {
        let lock = FileLock("\(path).store.lock", isShared: !alone)
        do {
            if let holder = try await lock.acquire(patience: .seconds(90)) { return holder }
        } catch let failure as FileFailure where !isNeeded && failure.reason != .other {
            return nil
        }
        throw AuthError.store(.storeUnavailable, "another process does not let go of \(lock.path)")
    }
}
