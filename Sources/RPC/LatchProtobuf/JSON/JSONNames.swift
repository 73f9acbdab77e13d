// SPDX-License-Identifier: Apache-2.0

/// The JSON names of a message's fields, in memory that is never freed.
///
/// There is one per message type, created when the type is first decoded from or encoded to JSON.
struct JSONNames {
    /// The well-known type whose special JSON form the message has.
    let wellKnownType: WellKnownType
    /// The names in quotes with a colon, as they are written; a name with escapes is followed by its plain form.
    private let text: UnsafeBufferPointer<UInt8>
    /// The positions of the names in the text: for each slot the JSON name and the name in the .proto file.
    private let spans: UnsafeBufferPointer<Span>
    /// A hash table from names to indices in `spans`, plus one; 0 is empty.
    ///
    /// Its size is a power of two.
    private let index: UnsafeBufferPointer<UInt32>
    /// Whether null, for each slot, is a value of its type: `NullValue` or `Value`.
    let takesNull: UnsafeBufferPointer<Bool>

    private struct Span {
        let start: Int32
        let end: Int32
        /// The range of the plain name.
        let name: Range<Int32>
    }

    init(_ layout: MessageLayout) {
        wellKnownType = WellKnownType(layout.name)
        var text: [UInt8] = []
        var spans: [Span] = []
        for field in layout.fields {
            for name in [field.jsonName, field.name] {
                var output = JSONOutput()
                output.write(string: name)
                let start = text.count
                text += output.bytes + [UInt8(ascii: ":")]
                let end = text.count
                let isPlain = output.bytes.count == name.utf8.count + 2
                if !isPlain { text += Array(name.utf8) }
                let position = isPlain ? start + 1..<end - 2 : end..<text.count
                spans.append(
                    Span(
                        start: Int32(start), end: Int32(end),
                        name: Int32(position.lowerBound)..<Int32(position.upperBound)))
            }
        }
        self.text = Self.keep(text)
        self.spans = Self.keep(spans)
        takesNull = Self.keep(layout.fields.map(Self.takesNull))
        var size = 4
        while size < spans.count * 2 { size *= 2 }
        var index = [UInt32](repeating: 0, count: size)
        // JSON names come first: they win over another field's name in the .proto file.
        for parity in 0...1 {
            for position in stride(from: parity, to: spans.count, by: 2) where layout.fields[position / 2].number > 0 {
                Self.enter(position, Self.name(spans[position], self.text), self.text, spans, into: &index)
            }
        }
        self.index = Self.keep(index)
    }

    private static func enter(
        _ position: Int, _ name: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, _ spans: [Span],
        into index: inout [UInt32]
    ) {
        var probe = hash(name) & (index.count - 1)
        while index[probe] != 0 {
            if equal(Self.name(spans[Int(index[probe]) - 1], text), name) { return }
            probe = (probe + 1) & (index.count - 1)
        }
        index[probe] = UInt32(truncatingIfNeeded: position + 1)
    }

    private static func takesNull(_ field: FieldSchema) -> Bool {
        field.enumeration?.name == "google.protobuf.NullValue"
            || field.child.map { WellKnownType($0.name) == .value } == true
    }

    private static func keep<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = memory.initialize(from: elements)
        return UnsafeBufferPointer(memory)
    }
}

extension JSONNames {
    /// Returns a field's name in quotes with the colon.
    @inline(__always)
    func key(_ slot: Int, isProto: Bool) -> UnsafeBufferPointer<UInt8> {
        let span = spans[slot * 2 + (isProto ? 1 : 0)]
        return UnsafeBufferPointer(rebasing: text[Int(span.start)..<Int(span.end)])
    }

    /// Returns the slot of a name in either spelling; `likely` is tried first.
    @inline(__always)
    func slot(of name: UnsafeBufferPointer<UInt8>, likely: Int) -> Int? {
        if likely * 2 < spans.count, Self.equal(Self.name(spans[likely * 2], text), name) { return likely }
        return search(name)
    }

    private func search(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
        var probe = Self.hash(name) & (index.count - 1)
        while index[probe] != 0 {
            let position = Int(index[probe]) - 1
            if Self.equal(Self.name(spans[position], text), name) { return position / 2 }
            probe = (probe + 1) & (index.count - 1)
        }
        return nil
    }

    @inline(__always)
    private static func name(_ span: Span, _ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: text[Int(span.name.lowerBound)..<Int(span.name.upperBound)])
    }

    @inline(__always)
    private static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for position in 0..<left.count where left[position] != right[position] { return false }
        return true
    }

    /// Returns the FNV-1a hash; a text cannot cause collisions, since the names are the schema's.
    @inline(__always)
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in name { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash ^ hash >> 15)
    }
}
