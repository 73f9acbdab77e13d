// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// The selection of the store for the secrets of one service, recorded next to them.
///
/// The order, which Documentation/SecretStores.md explains:
/// 1. The recorded store, because it has the accounts.
/// 2. The store that `LATCH_SECRET_STORE` names.
/// 3. An existing file of secrets from before choices were recorded.
/// 4. A file with a passphrase, if `LATCH_PASSPHRASE_FILE` or `LATCH_PASSPHRASE_FD` supplies one.
/// 5. A file, if `LATCH_HOME` moves all files into one folder.
/// 6. A file over SSH, because the next session there may have no desktop.
/// 7. The Secret Service, if a keyring exists and is unlocked.
/// 8. A file.
///
/// On macOS the keychain replaces the Secret Service, also over SSH, if this program is entitled to it.
package struct SecretStoreSelection: Sendable {
    /// The service that owns the secrets.
    let service: String
    /// The common prefix of the paths of the service's files.
    let path: String
    var environment: [String: String]
    /// Creates the store of a kind; returns nil if this system does not have it.
    let makeStore: @Sendable (SecretStoreKind) -> (store: any SecretStore, location: String)?
    /// The system's own store, which is preferred if it works.
    var keyring = SecretStoreKind.secretService
    /// Throws if the keyring cannot store a secret now.
    let checkKeyring: @Sendable () async throws -> Void

    /// The variable that overrides the order.
    package static let variable = "LATCH_SECRET_STORE"

    /// The file with the recorded choice.
    var recordFile: AtomicFile { AtomicFile("\(path).store") }

    /// Returns the current choice, without changing anything.
    ///
    /// - Throws: `storeUnavailable` if `LATCH_SECRET_STORE` names another store than the one with the secrets.
    package func choice() async throws -> SecretStoreChoice {
        try await choice(recorded: try SecretStoreRecord.read(recordFile))
    }

    func choice(recorded record: SecretStoreRecord?) async throws -> SecretStoreChoice {
        let wanted = environment[Self.variable].flatMap { $0.isEmpty ? nil : SecretStoreKind(rawValue: $0) }
        guard let record else { return try await firstChoice(wanted) }
        if let wanted, wanted != record.kind {
            try await require(record.kind, isEmptyFor: wanted)
            return try choice(
                of: [.init(record.kind, "is recorded, and empty"), Self.requested(wanted)], isRecorded: false)
        }
        return try choice(of: [.init(record.kind, "recorded when it was chosen: \(record.reason)")], isRecorded: true)
    }

    /// Returns the choice if none is recorded yet.
    private func firstChoice(_ wanted: SecretStoreKind?) async throws -> SecretStoreChoice {
        if let wanted { return try choice(of: [Self.requested(wanted)], isRecorded: false) }
        if try AtomicFile("\(path).secrets").read() != nil {
            return try choice(of: [.init(.file, "it exists already")], isRecorded: false)
        }
        for variable in ["LATCH_PASSPHRASE_FILE", "LATCH_PASSPHRASE_FD"] where environment[variable]?.isEmpty == false {
            return try choice(of: [.init(.passphrase, "\(variable) gives a passphrase")], isRecorded: false)
        }
        return try choice(of: try await candidatesWithKeyring(), isRecorded: false)
    }

    /// Returns the keyring, or the keyring and the file if the keyring is not usable.
    private func candidatesWithKeyring() async throws -> [SecretStoreChoice.Candidate] {
        if absolutePath("LATCH_HOME", in: environment) != nil {
            return [
                .init(keyring, "not asked: LATCH_HOME moves everything into one folder"),
                .init(.file, "LATCH_HOME moves everything into one folder"),
            ]
        }
        let needsDesktop = keyring == .secretService
        if needsDesktop,
            let variable = ["SSH_CONNECTION", "SSH_TTY"].first(where: { environment[$0]?.isEmpty == false })
        {
            return [
                .init(keyring, "not asked: this is a session over SSH (\(variable)), which has no desktop"),
                .init(.file, "works over SSH and without a desktop"),
            ]
        }
        do {
            try await checkKeyring()
            let reason = needsDesktop ? "a keyring exists and is unlocked" : "this program may use the keychain"
            return [.init(keyring, reason)]
        } catch {
            let why = (error as? AuthError)?.message ?? "\(type(of: error))"
            return [.init(keyring, why), .init(.file, "works without a desktop and without a user")]
        }
    }

    private static func requested(_ kind: SecretStoreKind) -> SecretStoreChoice.Candidate {
        .init(kind, "\(variable)=\(kind) says so")
    }

    /// Returns the choice of the last candidate.
    private func choice(
        of candidates: [SecretStoreChoice.Candidate], isRecorded: Bool
    ) throws -> SecretStoreChoice {
        guard let last = candidates.last else { throw AuthError.storeUnavailable }
        return SecretStoreChoice(
            kind: last.kind, reason: last.explanation, candidates: candidates, location: try store(last.kind).location,
            isRecorded: isRecorded)
    }

    func store(_ kind: SecretStoreKind) throws -> (store: any SecretStore, location: String) {
        if let made = makeStore(kind) { return made }
        let known = [SecretStoreKind.keychain, .secretService, .file, .passphrase, .keyringFile]
            .filter { makeStore($0) != nil }.map(\.rawValue).joined(separator: ", ")
        throw AuthError.storeUnavailable.saying(
            "This system has no secret store '\(kind)'.",
            hint: "Set \(Self.variable) to one of: \(known).")
    }

    /// Throws if the recorded store has secrets that another store would hide.
    private func require(_ kind: SecretStoreKind, isEmptyFor wanted: SecretStoreKind) async throws {
        guard try await store(kind).store.names().isEmpty else {
            throw AuthError.storeUnavailable.saying(
                "The secrets of '\(service)' are in the store '\(kind)', not in '\(wanted)'.",
                hint: "Unset \(Self.variable), or move the secrets first (SecretStoreMigration).")
        }
    }
}

/// The recorded choice of a store, for all processes of the user.
struct SecretStoreRecord: Codable, Sendable, Equatable {
    var kind: SecretStoreKind
    /// The reason for the choice.
    var reason: String
    /// The earlier store, which may still contain secrets to remove.
    var leaving: SecretStoreKind?

    /// Reads the record in a file; nil if there is none.
    ///
    /// - Throws: `storeCorrupt` if the record is malformed: a wrong guess would mean an empty store, and so a sign-out.
    static func read(_ file: AtomicFile) throws -> SecretStoreRecord? {
        let bytes: [UInt8]?
        do { bytes = try file.read() } catch { throw AuthError.file(error) }
        guard let bytes else { return nil }
        do {
            return try JSONDecoder().decode(SecretStoreRecord.self, from: Data(bytes))
        } catch {
            throw AuthError.storeCorrupt.saying(
                "The location of the secrets is unknown: \(file.path) is damaged.",
                hint: #"Write {"kind":"file","reason":"repaired"} there, or whichever store it was."#)
        }
    }

    /// Replaces the record durably.
    func write(_ file: AtomicFile) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try file.replace(with: Array(try encoder.encode(self)) + [0x0A])
    }
}
