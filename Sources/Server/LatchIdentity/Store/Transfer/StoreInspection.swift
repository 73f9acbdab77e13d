// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import PortableFoundation

/// The condition of a store, as an operator's check reads it.
package struct StoreInspection: Sendable {
    /// The version of the schema.
    package let schema: StoreSchema
    /// The reason for which a server with this store key does not start; nil if it fits, or if the store has no keys yet.
    package let keyFailure: IdentityError?
    /// The newest date that the store's servers have believed; nil if none has stored one.
    package let believedDate: Date?

    /// The seconds by which the database's date is ahead of this machine's; nil for a file, which has no date.
    package let clockDifference: Double?
    /// The settings of PostgreSQL that decide what survives a crash; nil for a file.
    package let durability: DatabaseDurability?

    /// Whether servers take a date for one that needs an operator's word, unless a time server vouches for it.
    package func isDoubtful(_ date: Date) -> Bool {
        believedDate.map { date.timeIntervalSince($0) > DateCheck.believedLeap } ?? false
    }
}

/// The settings of a PostgreSQL server that decide what survives a crash of it, or of its machine.
package struct DatabaseDurability: Sendable, Hashable {
    /// The version of the server, such as `15.8`.
    package let version: String
    /// The settings by name; those that the server does not have are missing.
    package let settings: [String: String]
    /// The number of standbys that follow now.
    package let standbys: Int

    /// The settings that are read.
    fileprivate static let names = [
        "fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names",
    ]

    /// The settings by which a commit that was acknowledged may be lost, as `name = value`.
    package var hazards: [String] {
        let safe = ["fsync": ["on"], "full_page_writes": ["on"], "synchronous_commit": ["on", "remote_apply"]]
        return Self.names.compactMap { name in
            guard let value = settings[name], let safe = safe[name], !safe.contains(value) else { return nil }
            return "\(name) = \(value)"
        }
    }

    /// Whether standbys follow, and no commit waits for one of them.
    package var losesCommitsAtFailover: Bool {
        standbys > 0 && settings["synchronous_standby_names", default: ""].isEmpty
    }
}

extension StoreAdministration {
    /// Reads the condition of a store, on which servers may run, and changes nothing.
    ///
    /// - Throws: `IdentityError.newerSchema`, or the reason for which the store cannot be read.
    package func inspect(_ location: String, tokenPepper: String?) async throws(IdentityError) -> StoreInspection {
        try await StoreConnections.onThread { () throws(IdentityError) in
            try StoreConnections.inspecting(location) { db, schema throws(IdentityError) in
                guard schema.found <= schema.latest else {
                    throw .newerSchema(found: schema.found, known: schema.latest)
                }
                let isDatabase = IdentityStore.isDatabase(location)
                return StoreInspection(
                    schema: schema, keyFailure: schema.due == nil ? keyFailure(of: db, tokenPepper: tokenPepper) : nil,
                    believedDate: schema.due == nil ? try Self.believedDate(of: db) : nil,
                    clockDifference: isDatabase ? try Self.clockDifference(of: db) : nil,
                    durability: isDatabase ? try Self.durability(of: db) : nil)
            }
        }
    }

    /// Returns the error of the first use of the stored keys.
    private func keyFailure(of db: any SQLConnection, tokenPepper: String?) -> IdentityError? {
        do throws(IdentityError) {
            _ = try auditKey(of: db)
            try keyring.check(tokenPepper: tokenPepper, of: try db.storedKeys())
            return nil
        } catch {
            // A store that no server has used yet has no keys, and any will do.
            return error.code == IdentityError.storeUnused.code ? nil : error
        }
    }

    private static func believedDate(of db: any SQLConnection) throws(IdentityError) -> Date? {
        try db.first("SELECT ends_at FROM lease WHERE task = 'date'", []) { row throws(IdentityError) in
            try row.date(0)
        }
    }

    private static func clockDifference(of db: any SQLConnection) throws(IdentityError) -> Double? {
        let before = Date()
        let date = try db.postgresDate()
        let after = Date()
        guard let date else { return nil }
        // It was read in between: only a date outside of that interval shows a difference.
        return date > after ? date.timeIntervalSince(after) : min(date.timeIntervalSince(before), 0)
    }

    private static func durability(of db: any SQLConnection) throws(IdentityError) -> DatabaseDurability? {
        let settings = try db.all(
            "SELECT name, setting FROM pg_settings WHERE name IN ($1, $2, $3, $4)",
            DatabaseDurability.names.map { .text($0) }
        ) { row throws(IdentityError) in (try row.text(0), try row.text(1)) }
        return try db.first(
            "SELECT current_setting('server_version'), (SELECT count(*) FROM pg_stat_replication)", []
        ) { row throws(IdentityError) in
            DatabaseDurability(
                version: try row.text(0), settings: Dictionary(settings) { first, _ in first },
                standbys: Int(try row.integer(1)))
        }
    }
}
