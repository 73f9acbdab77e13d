// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A migration of secrets to another store: they are copied, read back, switched over, and only then removed.
///
/// It may be interrupted at any point and repeated. Until the switch the old store is valid and complete; afterwards
/// the new store is. No other process may write in the meantime: ``run(service:to:)`` ensures that for the platform's
/// own stores.
public struct SecretStoreMigration: Sendable {
    /// The result of a migration.
    public struct Report: Sendable, Hashable {
        /// The earlier store; nil if no migration was necessary.
        package let from: SecretStoreKind?
        package let to: SecretStoreKind
        /// The names of the migrated secrets.
        public let names: [String]
    }

    /// Migrates all secrets between two stores.
    ///
    /// Other secrets in the new store are removed: copies from an interrupted attempt could sign in a user who has
    /// signed out since.
    ///
    /// - Parameter switching: A closure that makes the new store the valid one, durably.
    /// - Returns: The names of the migrated secrets.
    /// - Throws: A `store…` code; nothing is lost then, and a repetition continues.
    @discardableResult
    static func run(
        from old: any SecretStore, to new: any SecretStore, switching: () async throws -> Void
    ) async throws -> [String] {
        let names = try await old.names()
        for name in names {
            guard let secret = try await old.read(name) else { continue }
            try await new.write(secret, for: name)
            guard try await new.read(name) == secret else {
                throw AuthError.store(.storeUnavailable, "'\(name)' was different when it was read back")
            }
        }
        for name in try await new.names() where !names.contains(name) { try await new.remove(name) }
        try await switching()
        try await removeAll(from: old)
        return names
    }

    fileprivate static func removeAll(from store: any SecretStore) async throws {
        for name in try await store.names() { try await store.remove(name) }
    }
}

extension SecretStoreSelection {
    /// Migrates the secrets of the service to another kind of store, while all other processes wait.
    func migrate(to kind: SecretStoreKind) async throws -> SecretStoreMigration.Report {
        do {
            try recordFile.makeFolder()
            let lock = try await enter(alone: true, isNeeded: true)
            defer { lock?.release() }
            return try await migrateExclusively(to: kind)
        } catch let failure as FileError {
            throw AuthError.file(failure)
        }
    }

    private func migrateExclusively(to kind: SecretStoreKind) async throws -> SecretStoreMigration.Report {
        // The environment does not determine where the secrets are.
        var selection = self
        selection.environment[Self.variable] = nil
        let record = try SecretStoreRecord.read(recordFile)
        let choice = try await selection.choice(recorded: record)
        if let left = record?.leaving, let record { try await finish(leaving: left, record) }
        guard choice.kind != kind else {
            let names = try await store(kind).store.names()
            try SecretStoreRecord(kind: kind, reason: record?.reason ?? choice.reason).write(recordFile)
            return SecretStoreMigration.Report(from: nil, to: kind, names: names)
        }
        let (old, new) = (try store(choice.kind).store, try store(kind).store)
        var moved = SecretStoreRecord(kind: kind, reason: "the secrets were moved here", leaving: choice.kind)
        let names = try await SecretStoreMigration.run(from: old, to: new) { try moved.write(recordFile) }
        moved.leaving = nil
        try moved.write(recordFile)
        return SecretStoreMigration.Report(from: choice.kind, to: kind, names: names)
    }

    /// Removes the secrets that an interrupted migration has left in the earlier store.
    private func finish(leaving left: SecretStoreKind, _ record: SecretStoreRecord) async throws {
        try await SecretStoreMigration.removeAll(from: try store(left).store)
        try SecretStoreRecord(kind: record.kind, reason: record.reason).write(recordFile)
    }
}
