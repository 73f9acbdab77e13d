// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import LatchPostgres

/// The condition of tests that need PostgreSQL's server, which `make interop` installs.
let needsServer = needsPostgres

extension PostgresCluster {
    /// A database with a configuration of its own.
    func database(_ change: (inout PostgresConfiguration) -> Void = { _ in }) -> PostgresDatabase {
        var configuration = PostgresConfiguration(address())
        change(&configuration)
        return PostgresDatabase(configuration)
    }
}

extension PostgresDatabase {
    /// Returns the one number that a statement selects.
    func number(_ sql: String, _ values: [PostgresValue] = []) async throws -> Int64? {
        try await read { try $0.first(sql, values) { row throws(PostgresError) in try row.integer(0) } }
    }

    /// Runs one statement in a transaction.
    @discardableResult
    func run(_ sql: String, _ values: [PostgresValue] = []) async throws -> Int {
        try await transaction { try $0.run(sql, values) }
    }

    /// Waits until a query selects a number other than 0.
    func wait(for sql: String) async throws {
        try await eventually { try await number(sql) ?? 0 != 0 }
    }
}

/// Returns the error that `body` throws; nil if it throws none, or another one.
func failure<Value>(_ body: () async throws -> Value) async -> PostgresError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}
