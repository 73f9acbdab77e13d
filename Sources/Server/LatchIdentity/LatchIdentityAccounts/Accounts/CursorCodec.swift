// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE

/// A codec for opaque cursors of a list.
///
/// A cursor is not secret: it names a row that the client was just shown. It is authenticated, so that a client cannot
/// probe rows that it may not see. It is also bound to the order and the filters of its list.
package struct CursorCodec: Sendable {
    private let key: SymmetricKey

    package init(pepper: SymmetricKey) { key = pepper.derived(for: "latch list cursor") }

    /// Returns the text of a cursor.
    package func encode(_ cursor: AccountQuery.Cursor, for query: AccountQuery) -> String {
        let value: JSONValue =
            switch cursor.value {
            case .text(let text): .string(text)
            case .number(let number): .integer(number)
            }
        let bytes = Array(JSONValue.array([value, .integer(cursor.serial)]).serialized())
        return Base64URL.encode(code(bytes, query) + bytes)
    }

    /// Parses the text of a cursor.
    ///
    /// - Throws: `IdentityError.invalidInput` unless ``encode(_:for:)`` returned the text for the same list.
    package func decode(_ text: String, for query: AccountQuery) throws(IdentityError) -> AccountQuery.Cursor {
        guard text.utf8.count <= 4096, let bytes = try? Base64URL.decode(text), bytes.count > Self.codeLength else {
            throw .invalidCursor
        }
        let rest = Array(bytes.dropFirst(Self.codeLength))
        guard constantTimeEquals(bytes[..<Self.codeLength], code(rest, query)),
            let parts = try? JSONValue(parsing: rest).arrayValue, parts.count == 2, let serial = parts[1].intValue,
            let value = query.sort.isText
                ? parts[0].stringValue.map(AccountQuery.Cursor.Value.text)
                : parts[0].intValue.map({ .number(Int64($0)) })
        else { throw .invalidCursor }
        return .init(value: value, serial: Int64(serial))
    }

    private static let codeLength = 16

    /// Returns the authentication code of a cursor and of the order and filters of its list, but not of its limit.
    private func code(_ cursor: [UInt8], _ query: AccountQuery) -> [UInt8] {
        let number = { (date: Date?) in date.map { JSONValue.integer($0.storedMilliseconds) } ?? .null }
        let list: JSONValue = .array([
            .string(query.sort.rawValue), .bool(query.isAscending), .string(query.search),
            query.role.map { .integer(Int64($0.rawValue)) } ?? .null,
            query.status.map { .string($0.rawValue) } ?? .null,
            query.isVerified.map { .bool($0) } ?? .null, number(query.createdAfter), number(query.createdBefore),
        ])
        let bytes = Array(list.serialized()) + [0] + cursor
        return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)).prefix(Self.codeLength).map { $0 }
    }
}
