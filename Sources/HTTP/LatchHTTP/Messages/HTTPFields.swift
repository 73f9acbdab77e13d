// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The header fields in the order in which they were added, looked up without case.
///
/// A message has few fields, so they are stored in one array and found by linear search.
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name, which is compared without regard to case.
        public let name: HTTPFieldName
        /// The field's value, without surrounding whitespace.
        ///
        /// A received value that is not valid UTF-8 is read as ISO-8859-1 (RFC 9110 §5.5), so that no octet is lost.
        /// Values are sent in UTF-8. So an entity tag or a cookie in ISO-8859-1 is sent back with other octets, since a
        /// text does not keep its encoding.
        public var value: String

        /// Creates a field line.
        public init(_ name: HTTPFieldName, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The field lines in their order on the wire, which matters between lines with the same name (RFC 9110 §5.3).
    private var lines: [Field] = []

    /// Creates empty fields.
    public init() {}

    /// Creates fields from a literal; a name can occur more than once.
    public init(dictionaryLiteral elements: (HTTPFieldName, String)...) {
        guard !elements.isEmpty else { return }
        lines.reserveCapacity(elements.count)
        for (name, value) in elements { lines.append(Field(name, value)) }
    }

    /// Accesses the first value of a field; setting replaces all lines of that name, and nil removes them.
    ///
    /// The new line takes the position of the first old one. Its name is spelled as in the assignment.
    public subscript(name: HTTPFieldName) -> String? {
        get { firstIndex(of: name).map { lines[$0].value } }
        set {
            guard let newValue else { return lines.removeAll { $0.name == name } }
            guard let first = firstIndex(of: name) else { return lines.append(Field(name, newValue)) }
            lines[first] = Field(name, newValue)
            guard firstIndex(of: name, from: first + 1) != nil else { return }
            let rest = lines[(first + 1)...].filter { $0.name != name }
            lines.replaceSubrange((first + 1)..., with: rest)
        }
    }

    /// Returns the index of the first line of a field from `start` on; no line is copied.
    private func firstIndex(of name: HTTPFieldName, from start: Int = 0) -> Int? {
        lines.withUnsafeBufferPointer { lines in
            var index = start
            while index < lines.count {
                if lines[index].name == name { return index }
                index += 1
            }
            return nil
        }
    }

    /// Returns the value of a field that has one line; nil if it has none or several.
    package func onlyValue(of name: HTTPFieldName) -> String? {
        guard let index = firstIndex(of: name), firstIndex(of: name, from: index + 1) == nil else { return nil }
        return lines[index].value
    }

    /// Returns the values of all lines of a field, in order; lists within a line are not split.
    public func values(of name: HTTPFieldName) -> [String] {
        lines.compactMap { $0.name == name ? $0.value : nil }
    }

    /// Appends a line, keeping earlier lines of that name.
    public mutating func append(_ value: String, for name: HTTPFieldName) {
        lines.append(Field(name, value))
    }

    package mutating func append(_ line: Field) { lines.append(line) }

    /// Reserves capacity for `count` lines.
    package mutating func reserveCapacity(_ count: Int) { lines.reserveCapacity(count) }
}

extension HTTPFields: RandomAccessCollection {
    /// The index of the first line.
    public var startIndex: Int { 0 }

    /// The index after the last line.
    public var endIndex: Int { lines.count }

    /// Accesses the line at an index.
    public subscript(position: Int) -> Field { lines[position] }
}

extension HTTPFields {
    /// Checks that no field breaks the framing of the message.
    ///
    /// Names are tokens (RFC 9110 §5.6.2), and values hold no CR, LF or NUL (RFC 9110 §5.5).
    ///
    /// Every transport and server calls it before writing a message.
    ///
    /// - Throws: `HTTPError.invalidField`, which names the field and never its value.
    package func validate() throws(HTTPError) {
        try forEachLine { line throws(HTTPError) in try line.validate() }
    }

    /// Calls `body` with each line in place; iterating over the collection copies each of them.
    package func forEachLine(_ body: (borrowing Field) throws(HTTPError) -> Void) throws(HTTPError) {
        let result: Result<Void, HTTPError> = lines.withUnsafeBufferPointer { lines in
            do throws(HTTPError) {
                for index in lines.indices { try body(lines[index]) }
                return .success(())
            } catch { return .failure(error) }
        }
        try result.get()
    }
}

extension HTTPFields.Field {
    /// Checks that the line does not break the framing, as `HTTPFields.validate()` does.
    package borrowing func validate() throws(HTTPError) {
        let isSafe =
            value.utf8.withContiguousStorageIfAvailable(isSafeFieldValue)
            ?? Array(value.utf8).withUnsafeBufferPointer(isSafeFieldValue)
        if !name.isToken || !isSafe { throw .invalidField(name.rawName) }
    }
}

/// Returns whether the bytes of a value have no CR, LF or NUL (RFC 9110 §5.5).
@inlinable
package func isSafeFieldValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let words = UnsafeRawBufferPointer(bytes)
    var (controls, index): (UInt64, Int) = (0, 0)
    while index + 8 <= words.count {
        let word = words.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        // The high bit of each byte below 0x20.
        controls |= (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
        index += 8
    }
    while index < words.count {
        controls |= words[index] < 0x20 ? 1 : 0
        index += 1
    }
    // Only a value with control characters is checked byte by byte.
    return controls == 0 || bytes.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D }
}

extension HTTPFields {
    /// The media type of the content in lower case, without parameters (RFC 9110 §8.3.1).
    package var mediaType: String? {
        self[.contentType].map { type in
            let isPlain = type.utf8.allSatisfy { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 && !(0x41...0x5A).contains($0) }
            guard !isPlain else { return type }
            let name = type.utf8.prefix { $0 != 0x3B }.filter { $0 != 0x20 && $0 != 0x09 }
            return String(decoding: name.map(asciiLowercased), as: UTF8.self)
        }
    }
}
