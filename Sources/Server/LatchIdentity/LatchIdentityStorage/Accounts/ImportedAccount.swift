// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// An account of another system, with everything that its owner signs in by.
package struct ImportedAccount: Sendable, Hashable {
    package var account: Account
    package var factor: SecondFactor?
    package var passkeys: [Passkey] = []
    package var links: [UpstreamIdentity] = []

    package init(_ account: Account) { self.account = account }

    /// What became of an account.
    package enum Outcome: Sendable, Hashable {
        case imported
        /// An account with the same foreign ID and address is in the store; it stays as it is.
        case known
        /// Another account has one of the values.
        case taken(UniqueValue)
    }

    /// The values that only one account can have.
    package enum UniqueValue: String, Sendable, Hashable, CaseIterable {
        case email, username, foreignID = "foreign_id", link = "links", passkey = "passkeys"
    }

    /// The unique values with a text that differs between accounts.
    package var uniqueValues: [(kind: UniqueValue, text: String)] {
        [
            (UniqueValue.email, account.email?.key), (.username, account.username?.key),
            (.foreignID, account.foreignID),
        ]
        .compactMap { kind, text in text.map { (kind, $0) } }
            + links.map { (.link, "\($0.issuer) \($0.subject)") } + passkeys.map { (.passkey, $0.publicID) }
    }
}

extension ImportedAccount: Redacting {
    package var description: String { "ImportedAccount(\(account.id))" }
}
