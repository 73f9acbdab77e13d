// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The domain of each passkey; it is unknown for earlier rows.
    static let passkeyDomains = ["ALTER TABLE passkey ADD COLUMN relying_party \(text)"]
}
