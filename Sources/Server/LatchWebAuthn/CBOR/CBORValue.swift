// SPDX-License-Identifier: Apache-2.0

/// A CBOR item (RFC 8949) of a kind that authenticators send (CTAP 2.1 §8).
///
/// No structure of WebAuthn uses floating-point numbers, tags or integers outside signed 64 bits, so they are refused.
package enum CBORValue: Sendable, Hashable {
    case integer(Int64)
    case bytes([UInt8])
    /// A text as its UTF-8 bytes, because equal texts have equal bytes.
    case text([UInt8])
    case array([CBORValue])
    case map([CBORValue: CBORValue])
    case bool(Bool)
    case null

    /// Decodes one item.
    ///
    /// - Throws: `CBORError`.
    package init(decoding bytes: some Collection<UInt8>) throws(CBORError) {
        let rest: ArraySlice<UInt8>
        (self, rest) = try Self.first(of: Array(bytes)[...])
        guard rest.isEmpty else { throw .trailingBytes }
    }

    /// Decodes the first item of a sequence, and returns the bytes after it.
    static func first(of bytes: ArraySlice<UInt8>) throws(CBORError) -> (value: CBORValue, rest: ArraySlice<UInt8>) {
        var reader = CBORReader(rest: bytes)
        return (try reader.value(depth: 0), reader.rest)
    }

    /// The member of a map with the given text as its key; nil for another item, and for a missing member.
    subscript(_ name: String) -> CBORValue? { map?[.text(Array(name.utf8))] }

    /// The member of a map with the given number as its key; nil for another item, and for a missing member.
    subscript(_ number: Int64) -> CBORValue? { map?[.integer(number)] }

    /// The members of a map; nil for another item.
    var map: [CBORValue: CBORValue]? {
        guard case .map(let members) = self else { return nil }
        return members
    }

    /// The content of a byte string; nil for another item.
    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    /// The value of an integer; nil for another item.
    var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }
}

/// A reason why bytes are not an item that an authenticator may send.
package enum CBORError: String, Error, Sendable, CaseIterable {
    /// The bytes end within an item, or an item claims more than there are.
    case truncated
    /// Bytes follow the item.
    case trailingBytes
    /// A string, an array or a map has no length.
    case indefiniteLength
    /// A map has a key twice.
    case duplicateKey
    /// Arrays and maps are nested more than four times.
    case tooDeep
    /// A text is not UTF-8.
    case invalidText
    /// The item is of a kind that no structure of WebAuthn has.
    case unsupportedItem
}
