// SPDX-License-Identifier: Apache-2.0

/// A cache of texts that most requests of a server share, so that they are not allocated for each request.
///
/// It holds names of fields, some of their values, and the authority.
struct FieldCache {
    /// A received name, and the value of its last line.
    private struct Entry {
        let name: HTTPFieldName
        /// Whether values are kept; a secret must not stay in memory longer than its request.
        let keepsValue: Bool
        var value = ""

        /// Returns a line with a value.
        mutating func field(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPFields.Field {
            guard keepsValue, bytes.count <= maximumValueBytes else {
                return HTTPFields.Field(name, String(fieldValue: bytes))
            }
            if !bytes.spells(value) { value = String(fieldValue: bytes) }
            return HTTPFields.Field(name, value)
        }
    }

    /// The number of slots; a collision costs one allocation.
    private static let size = 64
    /// The maximum length of a kept value, so that memory is bounded.
    private static let maximumValueBytes = 256
    /// The names by slot; a slot keeps the last spelling.
    private var entries = [Entry?](repeating: nil, count: size)
    /// The authority of the last request, which is valid.
    private var authority: String?

    /// Returns a field line; nil if the name is not a token.
    ///
    /// A value that is not valid UTF-8 is read as ISO-8859-1 (RFC 9110 §5.5).
    mutating func field(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> HTTPFields.Field? {
        guard let first = name.first, let last = name.last else { return nil }
        let slot = (name.count &* 31 &+ Int(first) &* 7 &+ Int(last)) % Self.size
        return entries.withUnsafeMutableBufferPointer { entries in
            if !(entries[slot].map { name.spells($0.name.rawName) } ?? false) {
                guard name.allSatisfy(isTokenByte) else { return nil }
                let new = HTTPFieldName(String(decoding: name, as: UTF8.self))
                entries[slot] = Entry(name: new, keepsValue: Self.repeatedFields.contains(new))
            }
            return entries[slot]?.field(value)
        }
    }

    /// Returns the authority of a request; nil if it is malformed.
    mutating func authority(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        if let authority, bytes.spells(authority) { return authority }
        guard isValidHost(bytes) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if bytes.count <= Self.maximumValueBytes { authority = text }
        return text
    }

    /// The fields without secrets whose values a client repeats with each request.
    private static let repeatedFields: Set<HTTPFieldName> = [
        .accept, .acceptEncoding, "Accept-Language", .contentType, .host, "TE", .userAgent,
    ]
}
