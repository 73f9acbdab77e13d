// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

/// The condition of a store, for an operator's check.
package struct StoreInspection: Sendable {
    /// The version of the schema.
    package let schema: StoreSchema
    /// The reason why a server with this store key would not start; nil if it would, or if the store has no keys yet.
    package let keyFailure: IdentityError?
    /// The newest date that the store's servers have believed; nil if none has stored a date.
    package let believedDate: Date?

    /// The events that wait for hooks; nil if the schema is older.
    package let events: EventBacklog?
    /// The seconds by which the database's clock is ahead of this machine's; nil for a file, which has no clock.
    package let clockOffset: Double?
    /// The settings of PostgreSQL that decide what survives a crash; nil for a file.
    package let durability: DatabaseDurability?

    /// Whether a date needs an operator's confirmation, unless a time server confirms it.
    package func isDoubtful(_ date: Date) -> Bool {
        believedDate.map { date.timeIntervalSince($0) > DateCheck.believedLeap } ?? false
    }
}

/// The settings of a PostgreSQL server that decide what survives a crash of the server or its machine.
package struct DatabaseDurability: Sendable, Hashable {
    /// The version of the server, such as `15.8`.
    package let version: String
    /// The settings by name, without those that the server does not have.
    package let settings: [String: String]
    /// The number of standbys that currently follow.
    package let standbys: Int

    package init(version: String, settings: [String: String], standbys: Int) {
        self.version = version
        self.settings = settings
        self.standbys = standbys
    }

    /// The names of the settings that are read.
    fileprivate static let names = [
        "fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names",
    ]

    /// The settings that can lose an acknowledged commit, as `name = value`.
    package var hazards: [String] {
        let safe = ["fsync": ["on"], "full_page_writes": ["on"], "synchronous_commit": ["on", "remote_apply"]]
        return Self.names.compactMap { name in
            guard let value = settings[name], let safe = safe[name], !safe.contains(value) else { return nil }
            return "\(name) = \(value)"
        }
    }

    /// Whether standbys follow although no commit waits for one of them.
    package var losesCommitsAtFailover: Bool {
        standbys > 0 && settings["synchronous_standby_names", default: ""].isEmpty
    }
}

extension StoreAdministration {
    /// Reads the condition of a store without changing it; servers may be using it.
    ///
    /// - Throws: `IdentityError.newerSchema`, or the reason why the store cannot be read.
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
                    events: schema.due == nil ? try Self.events(of: db) : nil,
                    clockOffset: isDatabase ? try Self.clockOffset(of: db) : nil,
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
            // A store that no server has used has no keys, and accepts any key.
            return error.code == IdentityError.storeUnused.code ? nil : error
        }
    }

    private static func believedDate(of db: any SQLConnection) throws(IdentityError) -> Date? {
        try db.first("SELECT ends_at FROM lease WHERE task = 'date'", []) { row throws(IdentityError) in
            try row.date(0)
        }
    }

    private static func events(of db: any SQLConnection) throws(IdentityError) -> EventBacklog? {
        try db.first("SELECT count(*), min(added_at) FROM event_delivery", []) { row throws(IdentityError) in
            EventBacklog(count: Int(try row.integer(0)), oldest: try row.optionalDate(1))
        }
    }

    private static func clockOffset(of db: any SQLConnection) throws(IdentityError) -> Double? {
        let before = Date()
        let date = try db.postgresDate()
        let after = Date()
        guard let date else { return nil }
        // The date was read in between, so only a date outside of that interval shows a difference.
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
