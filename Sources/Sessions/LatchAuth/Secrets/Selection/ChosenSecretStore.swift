// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The selected store of a service, which is found at the first use and changes when the secrets are migrated.
///
/// The first write records the choice. Reading does not, so that a command over SSH does not decide for the desktop.
/// Each call holds a shared lock, which a migration waits for, so that no write can reach the old store.
package final class ChosenSecretStore: SecretStore {
    private let selection: SecretStoreSelection
    /// The result of the last call with the record that led to it.
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
            let lock = try await selection.enter(alone: false, isNeeded: writes)
            defer { lock?.release() }
            let (choice, store) = try await current()
            do {
                return try await body(store)
            } catch let error as AuthError {
                throw Self.explained(error, choice, service: selection.service)
            }
        } catch let failure as FileError {
            throw AuthError.file(failure)
        }
    }

    /// Returns the current store, which is selected again only if the record has changed.
    private func current() async throws -> (SecretStoreChoice, any SecretStore) {
        let record = try SecretStoreRecord.read(selection.recordFile)
        if let found = found.withLock({ $0 }), found.record == record { return (found.choice, found.store) }
        let choice = try await selection.choice(recorded: record)
        let store = try selection.store(choice.kind).store
        found.withLock { $0 = (record, choice, store) }
        return (choice, store)
    }

    /// Records the choice before the first secret is stored, once for all processes.
    private func recordChoice() async throws {
        if let found = found.withLock({ $0 }), found.choice.isRecorded { return }
        try selection.recordFile.makeFolder()
        let lock = try await selection.enter(alone: true, isNeeded: true)
        defer { lock?.release() }
        let record = try SecretStoreRecord.read(selection.recordFile)
        let choice = try await selection.choice(recorded: record)
        guard !choice.isRecorded else { return }
        try SecretStoreRecord(kind: choice.kind, reason: choice.reason).write(selection.recordFile)
    }

    /// Adds the store and the reason for its choice to an error.
    private static func explained(_ error: AuthError, _ choice: SecretStoreChoice, service: String) -> AuthError {
        error.saying(
            "\(error.message) The secrets of '\(service)' are in the store '\(choice.kind)': \(choice.reason).")
    }
}

extension SecretStoreSelection {
    /// Locks the choice: exclusively to change it, or shared to use it.
    ///
    /// - Parameter isNeeded: Whether the lock is required; a missing or read-only folder cannot change in the meantime.
    func enter(alone: Bool, isNeeded: Bool) async throws -> FileLock.Holder? {
        let file = FileLock("\(path).store.lock", isShared: !alone)
        do {
            if let holder = try await file.acquire(timeout: .seconds(90)) { return holder }
        } catch let failure as FileError where !isNeeded && failure.reason != .other {
            return nil
        }
        throw AuthError.store(.storeUnavailable, "another process does not release \(file.path)")
    }
}
