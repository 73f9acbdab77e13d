// SPDX-License-Identifier: Apache-2.0

/// Reads structured fields as RFC 9651 §4.2 prescribes, byte by byte and without tolerance.
struct StructuredParser {
    let bytes: [UInt8]
    private(set) var place = 0

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Reads a whole field: spaces at both ends are skipped, and nothing may come after the value (§4.2).
    mutating func whole<Value>(
        _ read: (inout StructuredParser) throws(HTTPError) -> Value
    ) throws(HTTPError) -> Value {
        skip { $0 == 0x20 }
        let value = try read(&self)
        skip { $0 == 0x20 }
        guard peek == nil else { throw failure("something comes after the value") }
        return value
    }

    /// §4.2.1.
    mutating func list() throws(HTTPError) -> [StructuredMember] {
        var members: [StructuredMember] = []
        guard peek != nil else { return members }
        repeat { members.append(try member()) } while try nextMember()
        return members
    }

    /// §4.2.2.
    mutating func dictionary() throws(HTTPError) -> OrderedPairs<StructuredMember> {
        var pairs = OrderedPairs<StructuredMember>()
        guard peek != nil else { return pairs }
        repeat {
            let key = try key()
            // A key alone is true; its parameters come right after it.
            pairs[key] =
                take(0x3D) ? try member() : .item(StructuredItem(.boolean(true), try parameters()))
        } while try nextMember()
        return pairs
    }

    /// §4.2.1 and §4.2.2: a comma between two members, and none at the end.
    private mutating func nextMember() throws(HTTPError) -> Bool {
        skip { $0 == 0x20 || $0 == 0x09 }
        guard peek != nil else { return false }
        guard take(0x2C) else { throw failure("a comma is missing") }
        skip { $0 == 0x20 || $0 == 0x09 }
        guard peek != nil else { throw failure("a comma stands at the end") }
        return true
    }

    /// §4.2.1.1.
    private mutating func member() throws(HTTPError) -> StructuredMember {
        peek == 0x28 ? .innerList(try innerList()) : .item(try item())
    }

    /// §4.2.1.2.
    private mutating func innerList() throws(HTTPError) -> StructuredInnerList {
        guard take(0x28) else { throw failure("an inner list does not begin") }
        var items: [StructuredItem] = []
        while true {
            skip { $0 == 0x20 }
            if take(0x29) { return StructuredInnerList(items, try parameters()) }
            items.append(try item())
            guard peek == 0x20 || peek == 0x29 else { throw failure("an inner list does not go on or end") }
        }
    }

    /// §4.2.3.
    mutating func item() throws(HTTPError) -> StructuredItem {
        let value = try value()
        return StructuredItem(value, try parameters())
    }

    /// §4.2.3.2.
    private mutating func parameters() throws(HTTPError) -> StructuredParameters {
        var parameters = StructuredParameters()
        while take(0x3B) {
            skip { $0 == 0x20 }
            let key = try key()
            parameters[key] = take(0x3D) ? try value() : .boolean(true)
        }
        return parameters
    }

    /// §4.2.3.3.
    private mutating func key() throws(HTTPError) -> String {
        guard let first = peek, StructuredSyntax.beginsKey(first) else { throw failure("a key is missing") }
        return text(of: take(while: StructuredSyntax.isKey))
    }
}

extension StructuredParser {
    /// The byte that comes next; nil at the end.
    var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// Takes the byte if it comes next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        place += 1
        return true
    }

    /// Takes whatever comes next; nil at the end.
    mutating func next() -> UInt8? {
        defer { place = min(place + 1, bytes.count) }
        return peek
    }

    mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = place
        skip(isWanted)
        return bytes[start..<place]
    }

    mutating func skip(_ isUnwanted: (UInt8) -> Bool) {
        while let byte = peek, isUnwanted(byte) { place += 1 }
    }

    func text(of bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    func failure(_ why: String) -> HTTPError { .malformedStructuredField(why, at: place) }
}
