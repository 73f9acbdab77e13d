// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The end of guests, with an index for their removal and their statistics, and the word of a provider about the
    /// address of a link.
    ///
    /// An account without an address has an empty `email`, and its ID as `email_key`.
    package static let guests = [
        "ALTER TABLE account ADD COLUMN guest_until bigint",
        """
        CREATE INDEX account_by_guest_end ON account (guest_until, created_at, standing) WHERE guest_until IS NOT NULL
        """,
        "ALTER TABLE sign_in_code ADD COLUMN is_email_verified bigint NOT NULL DEFAULT 0",
    ]
}
