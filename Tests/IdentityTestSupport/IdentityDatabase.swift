// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchPostgres
import TestSupport

/// The databases of a PostgreSQL server for tests of the store.
package enum IdentityDatabase {
    /// A server that resolves no deadlock, so that one fails a test instead of delaying it by a second.
    private static let cluster = Task {
        try await PostgresCluster(settings: ["max_connections=1000", "deadlock_timeout=1h"])
    }

    /// Creates an empty database and returns its connection string.
    ///
    /// - Parameter options: What follows its name in `CREATE DATABASE`.
    package static func create(_ options: String = "") async throws -> String {
        let cluster = try await cluster.value
        let name = "identity_\(UUID().uuidString.filter { $0 != "-" }.lowercased())"
        let connection = try PostgresConnection(PostgresConfiguration(cluster.address()))
        // Not in a transaction, which the statement does not permit.
        try connection.run("CREATE DATABASE \(name) \(options)")
        return cluster.address(database: name)
    }
}
