// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Decides which store keeps the secrets of one service, and remembers it beside them.
///
/// The order, which Documentation/SecretStores.md explains:
/// 1. what was recorded, since accounts are there;
/// 2. what `LATCH_SECRET_STORE` says;
/// 3. a file of secrets that is there from before there were records;
/// 4. a file under a passphrase, where `LATCH_PASSPHRASE_FILE` or `LATCH_PASSPHRASE_FD` gives one;
/// 5. a file, where `LATCH_HOME` moves everything into one folder;
/// 6. a file, over SSH: who signs in there may have no desktop the next time;
/// 7. the Secret Service, where a keyring is there and unlocked;
/// 8. a file.
package struct SecretStoreSelection: Sendable {
    /// Whose secrets they are.
    let service: String
    /// What the names of this service's files begin with.
    let path: String
    let environment: [String: String]
    /// The store of a kind; nil where this system has none such.
    let makeStore: @Sendable (SecretStoreKind) -> (store: any SecretStore, place: String)?
    /// Throws where the keyring cannot take a secret now.
    let checkKeyring: @Sendable () async throws -> Void

    /// The variable that overrides the order.
    package static let variable = "LATCH_SECRET_STORE"

    package init(
        service: String, path: String, environment: [String: String],
        makeStore: @escaping @Sendable (SecretStoreKind) -> (store: any SecretStore, place: String)?,
        checkKeyring: @escaping @Sendable () async throws -> Void
    ) {
        self.service = service
        self.path = path
        self.environment = environment
        self.makeStore = makeStore
        self.checkKeyring = checkKeyring
    }

    /// Where the choice is written down.
    var recordFile: AtomicFile { AtomicFile("\(path).store") }

    /// The choice as it is now; nothing is made or changed.
    ///
    /// - Throws: `storeUnavailable` where `LATCH_SECRET_STORE` names another store than the one that has the secrets.
    package func choice() async throws -> SecretStoreChoice {
        try await choice(recorded: try SecretStoreRecord.read(recordFile))
    }

    func choice(recorded record: SecretStoreRecord?) async throws -> SecretStoreChoice {
        let wanted = environment[Self.variable].flatMap { $0.isEmpty ? nil : SecretStoreKind(rawValue: $0) }
        guard let record else { return try await firstChoice(wanted) }
        if let wanted, wanted != record.kind {
            try await require(record.kind, isEmptyFor: wanted)
            return try made([.init(record.kind, "is recorded, and empty"), Self.told(wanted)], isRecorded: false)
        }
        return try made([.init(record.kind, "recorded when it was chosen: \(record.reason)")], isRecorded: true)
    }

    /// The choice where none is recorded yet.
    private func firstChoice(_ wanted: SecretStoreKind?) async throws -> SecretStoreChoice {
        if let wanted { return try made([Self.told(wanted)], isRecorded: false) }
        if try AtomicFile("\(path).secrets").read() != nil {
            return try made([.init(.file, "it is there already")], isRecorded: false)
        }
        for variable in ["LATCH_PASSPHRASE_FILE", "LATCH_PASSPHRASE_FD"] where environment[variable]?.isEmpty == false {
            return try made([.init(.passphrase, "\(variable) gives a passphrase")], isRecorded: false)
        }
        let considered = try await considerKeyring()
        return try made(considered, isRecorded: false)
    }

    /// The keyring, and the file where something speaks against the keyring.
    private func considerKeyring() async throws -> [SecretStoreChoice.Consideration] {
        if environment["LATCH_HOME"]?.hasPrefix("/") == true {
            return [
                .init(.secretService, "not asked: LATCH_HOME moves everything into one folder"),
                .init(.file, "LATCH_HOME moves everything into one folder"),
            ]
        }
        if let variable = ["SSH_CONNECTION", "SSH_TTY"].first(where: { environment[$0]?.isEmpty == false }) {
            return [
                .init(.secretService, "not asked: this is a session over SSH (\(variable)), which has no desktop"),
                .init(.file, "works over SSH and without a desktop"),
            ]
        }
        do {
            try await checkKeyring()
            return [.init(.secretService, "a keyring is there and unlocked")]
        } catch {
            let why = (error as? AuthError)?.message ?? "\(type(of: error))"
            return [.init(.secretService, why), .init(.file, "works without a desktop and without a person")]
        }
    }

    private static func told(_ kind: SecretStoreKind) -> SecretStoreChoice.Consideration {
        .init(kind, "\(variable)=\(kind) says so")
    }

    /// The choice of the last of them.
    private func made(
        _ considered: [SecretStoreChoice.Consideration], isRecorded: Bool
    ) throws -> SecretStoreChoice {
        guard let last = considered.last else { throw AuthError.storeUnavailable }
        return SecretStoreChoice(
            kind: last.kind, reason: last.verdict, considered: considered, place: try store(last.kind).place,
            isRecorded: isRecorded)
    }

    /// The store of a kind and its place.
    func store(_ kind: SecretStoreKind) throws -> (store: any SecretStore, place: String) {
        if let made = makeStore(kind) { return made }
        let known = [SecretStoreKind.keychain, .secretService, .file, .passphrase, .keyringFile]
            .filter { makeStore($0) != nil }.map(\.rawValue).joined(separator: ", ")
        throw AuthError(
            code: AuthError.storeUnavailable.code, message: "This system has no secret store '\(kind)'.",
            hint: "Set \(Self.variable) to one of: \(known).")
    }

    /// Lets another store take the place of the recorded one where nothing would be hidden by it.
    private func require(_ kind: SecretStoreKind, isEmptyFor wanted: SecretStoreKind) async throws {
        guard try await store(kind).store.names().isEmpty else {
            throw AuthError(
                code: AuthError.storeUnavailable.code,
                message: "The secrets of '\(service)' are in the store '\(kind)', not in '\(wanted)'.",
                hint: "Unset \(Self.variable), or move the secrets first (SecretStoreMigration).")
        }
    }
}
