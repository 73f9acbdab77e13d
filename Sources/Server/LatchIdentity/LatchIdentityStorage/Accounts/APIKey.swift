// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
package import LatchFoundation

/// A key with which a program calls the routes of the administration, in the name of an administrator.
package struct APIKey: Sendable, Hashable {
    /// The SHA-256 digest of the key.
    package let digest: [UInt8]
    /// The account whose role the key has, while that account is an administrator.
    package let accountID: String
    /// What the key is for, in the words of its administrator.
    package let name: String
    /// The scopes, separated by spaces.
    package let scope: String
    package let createdAt: Date
    package let expiresAt: Date
    /// The last use, to within five minutes; nil if there was none.
    package var lastUsedAt: Date?

    package init(
        digest: [UInt8], accountID: String, name: String, scope: String, createdAt: Date, expiresAt: Date,
        lastUsedAt: Date? = nil
    ) {
        self.digest = digest
        self.accountID = accountID
        self.name = name
        self.scope = scope
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
    }
}

extension APIKey: Redacting {
    package var description: String { "APIKey(\(id))" }

    /// The name of the key in lists and in the audit log, which does not open anything: a part of the digest.
    package var id: String { Self.id(of: digest) }

    /// Returns the ID of the key with a digest.
    package static func id(of digest: [UInt8]) -> String { Hex.encode(digest.prefix(idBytes)) }

    /// Returns the ID of a key's text.
    package static func id(of text: String) -> String { id(of: text.digest) }

    /// The number of bytes of the digest that an ID has.
    package static let idBytes = 8
}

extension APIKey {
    /// The columns of `api_key`.
    package enum Column: Int32, TableColumn {
        case digest, accountID, name, scope, createdAt, expiresAt, lastUsedAt

        package static let (list, insertion) = texts()

        package func value(of key: APIKey?) -> SQLValue {
            switch self {
            case .digest: .blob(key?.digest)
            case .accountID: .text(key?.accountID)
            case .name: .text(key?.name)
            case .scope: .text(key?.scope)
            case .createdAt: .date(key?.createdAt)
            case .expiresAt: .date(key?.expiresAt)
            case .lastUsedAt: .date(key?.lastUsedAt)
            }
        }
    }

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            digest: try row.blob(Column.digest), accountID: try row.text(Column.accountID),
            name: try row.text(Column.name), scope: try row.text(Column.scope),
            createdAt: try row.date(Column.createdAt), expiresAt: try row.date(Column.expiresAt),
            lastUsedAt: try row.optionalDate(Column.lastUsedAt))
    }
}
