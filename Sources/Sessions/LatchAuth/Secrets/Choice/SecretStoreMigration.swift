// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Moves secrets from one store to another: copied, read back, switched over, and only then removed.
///
/// It may be interrupted anywhere and repeated. Until the switch the old store counts and is whole; after it the new one.
/// Whoever moves must be alone meanwhile: for the platform's own stores ``run(service:to:)`` sees to that, among all
/// processes of the person.
public struct SecretStoreMigration: Sendable {
    /// What was moved.
    public struct Report: Sendable, Hashable {
        /// Where the secrets were; nil where they were in place already.
        public let from: SecretStoreKind?
        /// Where they are.
        public let to: SecretStoreKind
        /// Their names.
        public let names: [String]
    }

    private let old: any SecretStore
    private let new: any SecretStore

    /// A move between two stores.
    ///
    /// What the new one holds under other names is removed: the copies of an attempt that was interrupted, which could
    /// bring a person back who has signed out since.
    public init(from old: any SecretStore, to new: any SecretStore) {
        self.old = old
        self.new = new
    }

    /// Moves everything.
    ///
    /// - Parameter switching: Makes the new store the one that counts, durably.
    /// - Returns: The names of what was moved.
    /// - Throws: A `store…` code; nothing is lost then, and a repetition goes on.
    @discardableResult
    public func run(switching: () async throws -> Void) async throws -> [String] {
        let names = try await copy()
        try await switching()
        try await leave()
        return names
    }

    /// Makes the new store hold what the old one holds, and nothing else.
    private func copy() async throws -> [String] {
        let names = try await old.names()
        for name in names {
            guard let secret = try await old.read(name) else { continue }
            try await new.write(secret, for: name)
            guard try await new.read(name) == secret else {
                throw AuthError.store(.storeUnavailable, "'\(name)' was another one when it was read back")
            }
        }
        for name in try await new.names() where !names.contains(name) { try await new.remove(name) }
        return names
    }

    /// Removes what lies in the old store.
    func leave() async throws {
        for name in try await old.names() { try await old.remove(name) }
    }
}

extension SecretStoreSelection {
    /// Moves the secrets of the service to another kind of store, alone among all processes.
    package func migrate(to kind: SecretStoreKind) async throws -> SecretStoreMigration.Report {
        do {
            try recordFile.makeFolder()
            let turn = try await enter(alone: true, isNeeded: true)
            defer { turn?.release() }
            return try await migrateAlone(to: kind)
        } catch let failure as FileFailure {
            throw AuthError.file(failure)
        }
    }

    private func migrateAlone(to kind: SecretStoreKind) async throws -> SecretStoreMigration.Report {
        // What the environment wishes for does not tell where the secrets are.
        let selection = SecretStoreSelection(
            service: service, path: path, environment: environment.filter { $0.key != Self.variable },
            makeStore: makeStore, checkKeyring: checkKeyring)
        let record = try SecretStoreRecord.read(recordFile)
        let choice = try await selection.choice(recorded: record)
        if let left = record?.leaving, let record { try await finish(leaving: left, record) }
        guard choice.kind != kind else {
            let names = try await store(kind).store.names()
            try SecretStoreRecord(kind: kind, reason: record?.reason ?? choice.reason).write(recordFile)
            return SecretStoreMigration.Report(from: nil, to: kind, names: names)
        }
        let migration = SecretStoreMigration(from: try store(choice.kind).store, to: try store(kind).store)
        var moved = SecretStoreRecord(kind: kind, reason: "the secrets were moved here", leaving: choice.kind)
        let names = try await migration.run { try moved.write(recordFile) }
        moved.leaving = nil
        try moved.write(recordFile)
        return SecretStoreMigration.Report(from: choice.kind, to: kind, names: names)
    }

    /// Removes what an interrupted move has left behind in the store that does not count any more.
    private func finish(leaving left: SecretStoreKind, _ record: SecretStoreRecord) async throws {
        try await SecretStoreMigration(from: try store(left).store, to: try store(record.kind).store).leave()
        try SecretStoreRecord(kind: record.kind, reason: record.reason).write(recordFile)
    }
}
