// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
package import LatchFoundation

/// A client that is registered in the store.
package struct StoredClient: Sendable, Hashable {
    /// A secret of a client, by its SHA-256 digest.
    package struct Secret: Sendable, Hashable {
        package let digest: [UInt8]
        package let createdAt: Date
        /// The time from which the secret is invalid; nil for the newest one.
        package var endsAt: Date?

        package init(digest: [UInt8], createdAt: Date, endsAt: Date? = nil) {
            self.digest = digest
            self.createdAt = createdAt
            self.endsAt = endsAt
        }
    }

    package let id: String
    /// The members of the client, a JSON object with the names that `[[clients]]` has.
    package var members: String
    /// The secrets, the newest first.
    package var secrets: [Secret]
    /// The SHA-256 digest of the registration access token (RFC 7592 §3); nil for a client of an operator.
    package var registrationDigest: [UInt8]?
    package let createdAt: Date
    package var updatedAt: Date
    /// The time at which a client that registered itself ends unless it is used before; nil for never.
    package var expiresAt: Date?

    package init(
        id: String, members: String, secrets: [Secret] = [], registrationDigest: [UInt8]? = nil, createdAt: Date,
        expiresAt: Date? = nil
    ) {
        self.id = id
        self.members = members
        self.secrets = secrets
        self.registrationDigest = registrationDigest
        self.createdAt = createdAt
        updatedAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Whether the client registered itself (RFC 7591), instead of an operator.
    package var isSelfRegistered: Bool { registrationDigest != nil }

    /// A word for the state of the row: a change of its members or of its secrets makes another one.
    package var version: String {
        Hex.encode(Array((members + secrets.map { Hex.encode($0.digest) }.joined()).digest.prefix(8)))
    }
}

extension StoredClient: Redacting {
    package var description: String { "StoredClient(\(id))" }
}

/// A token with which clients register themselves (RFC 7591 §1.2).
package struct InitialToken: Sendable, Hashable {
    /// The SHA-256 digest of the token.
    package let digest: [UInt8]
    /// The number of registrations that are left.
    package let remaining: Int64
    package let createdAt: Date
    package let expiresAt: Date

    package init(digest: [UInt8], remaining: Int64, createdAt: Date, expiresAt: Date) {
        self.digest = digest
        self.remaining = remaining
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

extension InitialToken: Redacting {
    /// The name of the token for its operator, which does not open anything: a part of the digest.
    package var id: String { Hex.encode(digest.prefix(Self.idBytes)) }

    /// The number of bytes of the digest that an ID has.
    package static let idBytes = 8
}

extension StoredClient {
    /// The columns of `client`.
    package enum Column: Int32, TableColumn {
        case id, members, secrets, registrationDigest, createdAt, updatedAt, expiresAt

        package static let (list, insertion) = texts()

        package func value(of client: StoredClient?) -> SQLValue {
            switch self {
            case .id: .text(client?.id)
            case .members: .text(client?.members)
            case .secrets: .text(client.map { Secret.column($0.secrets) })
            case .registrationDigest: .blob(client?.registrationDigest)
            case .createdAt: .date(client?.createdAt)
            case .updatedAt: .date(client?.updatedAt)
            case .expiresAt: .date(client?.expiresAt)
            }
        }
    }

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            id: try row.text(Column.id), members: try row.text(Column.members),
            secrets: try Secret.list(column: try row.text(Column.secrets)),
            registrationDigest: try row.optionalBlob(Column.registrationDigest),
            createdAt: try row.date(Column.createdAt), expiresAt: try row.optionalDate(Column.expiresAt))
        updatedAt = try row.date(Column.updatedAt)
    }
}

extension StoredClient.Secret {
    /// The text of a column: a JSON array.
    fileprivate static func column(_ secrets: [Self]) -> String {
        let list = secrets.map { secret -> JSONValue in
            [
                "sha256": .string(Hex.encode(secret.digest)), "created_at": milliseconds(secret.createdAt),
                "ends_at": secret.endsAt.map(milliseconds) ?? .null,
            ]
        }
        return String(decoding: JSONValue.array(list).serialized(), as: UTF8.self)
    }

    private static func milliseconds(_ date: Date) -> JSONValue {
        .integer(Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    /// Reads the text of a column.
    ///
    /// - Throws: `IdentityError.corruptStore`.
    fileprivate static func list(column text: String) throws(IdentityError) -> [Self] {
        let list: [JSONValue]?
        do throws(JSONError) { list = try JSONValue(parsing: text).arrayValue } catch { list = nil }
        guard let list else { throw .corruptStore("the secrets of a client are not a JSON array") }
        return try list.map { value throws(IdentityError) in
            guard let digest = value["sha256"]?.stringValue.flatMap({ Hex.decode($0, count: 32) }),
                let createdAt = value["created_at"]?.intValue
            else { throw .corruptStore("a secret of a client cannot be read") }
            let end = value["ends_at"]?.intValue
            return Self(
                digest: digest, createdAt: Date(timeIntervalSince1970: Double(createdAt) / 1000),
                endsAt: end.map { Date(timeIntervalSince1970: Double($0) / 1000) })
        }
    }
}

extension InitialToken {
    /// The columns of `initial_token`.
    package enum Column: Int32, TableColumn {
        case digest, remaining, createdAt, expiresAt

        package static let (list, insertion) = texts()

        package func value(of token: InitialToken?) -> SQLValue {
            switch self {
            case .digest: .blob(token?.digest)
            case .remaining: .integer(token?.remaining)
            case .createdAt: .date(token?.createdAt)
            case .expiresAt: .date(token?.expiresAt)
            }
        }
    }

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            digest: try row.blob(Column.digest), remaining: try row.integer(Column.remaining),
            createdAt: try row.date(Column.createdAt), expiresAt: try row.date(Column.expiresAt))
    }
}
