// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// Version 14: the servers that do shared tasks for all servers of the store.
    static let leases = [
        """
        CREATE TABLE lease (
            task TEXT PRIMARY KEY NOT NULL,
            holder TEXT NOT NULL,
            ends_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
    ]
}
