// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchCrypto
import LatchJOSE

/// A place in a list as text that means nothing to whoever gets it, for the same list alone.
///
/// It is not secret: it names a row that its holder was just shown. It is authenticated, so that nobody can try by made-up
/// places what is behind a row that they may not see, and is bound to the order and the filters it was made for.
struct ListCursor: Sendable {
    private let key: SymmetricKey

    init(pepper: SymmetricKey) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: pepper, salt: [UInt8](), info: Array("latch list cursor".utf8), outputByteCount: 32)
    }

    /// The place as text.
    func text(_ place: AccountQuery.Place, of query: AccountQuery) -> String {
        let value: JSONValue =
            switch place.value {
            case .text(let text): .string(text)
            case .number(let number): .integer(number)
            }
        let bytes = Array(JSONValue.array([value, .integer(place.serial)]).serialized())
        return Base64URL.encode(code(bytes, query) + bytes)
    }

    /// The place again.
    ///
    /// - Throws: `IdentityError.invalidInput` for what was not made by ``text(_:of:)`` for the same list.
    func place(_ text: String, of query: AccountQuery) throws(IdentityError) -> AccountQuery.Place {
        do {
            guard text.utf8.count <= 4096 else { throw IdentityError.invalidCursor }
            let bytes = try Base64URL.decode(text)
            let rest = Array(bytes.dropFirst(Self.codeLength))
            guard bytes.count > Self.codeLength, constantTimeEquals(bytes[..<Self.codeLength], code(rest, query)),
                let parts = try JSONValue(parsing: rest).arrayValue, parts.count == 2, let serial = parts[1].intValue
            else { throw IdentityError.invalidCursor }
            if let text = parts[0].stringValue, query.sort.isText {
                return .init(value: .text(text), serial: Int64(serial))
            }
            if let number = parts[0].intValue, !query.sort.isText {
                return .init(value: .number(Int64(number)), serial: Int64(serial))
            }
            throw IdentityError.invalidCursor
        } catch {
            throw .invalidCursor
        }
    }

    private static let codeLength = 16

    /// Of everything that makes the list this one and no other; how many come at once is not part of it.
    private func code(_ place: [UInt8], _ query: AccountQuery) -> [UInt8] {
        let number = { (date: Date?) in date.map { JSONValue.integer($0.storedMilliseconds) } ?? .null }
        let list: JSONValue = .array([
            .string(query.sort.rawValue), .bool(query.isAscending), .string(query.search),
            query.role.map { .integer(Int64($0.rawValue)) } ?? .null,
            query.standing.map { .string($0.rawValue) } ?? .null,
            query.isVerified.map { .bool($0) } ?? .null, number(query.createdAfter), number(query.createdBefore),
        ])
        let bytes = Array(list.serialized()) + [0] + place
        return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)).prefix(Self.codeLength).map { $0 }
    }
}

extension IdentityError {
    /// A place in another list, or in none.
    static let invalidCursor = IdentityError.invalidInput(
        "'cursor' is not one of this list", hint: "Begin the list again, without a cursor.")
}
