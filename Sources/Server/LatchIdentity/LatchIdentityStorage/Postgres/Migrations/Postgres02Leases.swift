// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// Version 2: the servers that do shared tasks for all servers of the store.
    static let leases = [
        "CREATE TABLE lease (task \(text) PRIMARY KEY, holder \(text) NOT NULL, ends_at bigint NOT NULL)"
    ]
}
