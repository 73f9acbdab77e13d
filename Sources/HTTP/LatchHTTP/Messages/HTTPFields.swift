// SPDX-License-Identifier: Apache-2.0

/// Header fields in the order in which they were added, looked up without case.
///
/// A message has few fields, so they lie in one array and are found by looking along it.
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The field's name.
        public let name: HTTPFieldName
        /// The field's value, without surrounding whitespace.
        public var value: String

        /// A field line.
        public init(_ name: HTTPFieldName, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// In the order of the wire, which matters between lines of one name (RFC 9110 §5.3).
    private var lines: [Field] = []

    /// No fields.
    public init() {}

    /// Fields from a literal; a name may stand more than once.
    public init(dictionaryLiteral elements: (HTTPFieldName, String)...) {
        lines = elements.map { Field($0.0, $0.1) }
    }

    /// The first value of a field; setting replaces all lines of that name, nil removes them.
    ///
    /// The new line stands where the first one stood, with the spelling of the name that was used to set it.
    public subscript(name: HTTPFieldName) -> String? {
        get { lines.first { $0.name == name }?.value }
        set {
            guard let newValue else { return lines.removeAll { $0.name == name } }
            guard let first = lines.firstIndex(where: { $0.name == name }) else {
                return lines.append(Field(name, newValue))
            }
            lines[first] = Field(name, newValue)
            guard lines[(first + 1)...].contains(where: { $0.name == name }) else { return }
            let rest = lines[(first + 1)...].filter { $0.name != name }
            lines.replaceSubrange((first + 1)..., with: rest)
        }
    }

    /// All values of a field, a value for each line, in order; a list within one line is not taken apart.
    public func values(of name: HTTPFieldName) -> [String] {
        lines.compactMap { $0.name == name ? $0.value : nil }
    }

    /// Adds a line after the others, keeping earlier lines of that name.
    public mutating func append(_ value: String, for name: HTTPFieldName) {
        lines.append(Field(name, value))
    }

    /// Makes room for `count` lines at once.
    public mutating func reserveCapacity(_ count: Int) { lines.reserveCapacity(count) }
}

extension HTTPFields: RandomAccessCollection {
    /// The index of the first line.
    public var startIndex: Int { 0 }

    /// The index after the last line.
    public var endIndex: Int { lines.count }

    /// The line at an index.
    public subscript(position: Int) -> Field { lines[position] }
}

extension HTTPFields {
    /// Refuses what would change the framing of a message: names that are no token (RFC 9110 §5.6.2) and values with
    /// CR, LF or NUL (RFC 9110 §5.5).
    ///
    /// Every transport and server calls it before it writes.
    ///
    /// - Throws: `HTTPError.invalidField`, which names the field and never its value.
    public func validate() throws(HTTPError) {
        for line in lines {
            let name = line.name.canonicalName.utf8
            guard !name.isEmpty, name.allSatisfy(isTokenByte) else { throw .invalidField(line.name.rawName) }
            guard line.value.utf8.allSatisfy({ $0 != 0 && $0 != 0x0A && $0 != 0x0D }) else {
                throw .invalidField(line.name.rawName)
            }
        }
    }
}

extension HTTPFields {
    /// The type and subtype of the content in lower case, without parameters (RFC 9110 §8.3.1).
    package var mediaType: String? {
        self[.contentType].map { type in
            let isPlain = type.utf8.allSatisfy { $0 != 0x3B && $0 != 0x20 && $0 != 0x09 && !(0x41...0x5A).contains($0) }
            guard !isPlain else { return type }
            let name = type.utf8.prefix { $0 != 0x3B }.filter { $0 != 0x20 && $0 != 0x09 }
            return String(decoding: name.map(asciiLowercased), as: UTF8.self)
        }
    }
}

/// RFC 9110 §5.6.2: tchar.
package func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
}
