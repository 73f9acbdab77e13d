// SPDX-License-Identifier: Apache-2.0

/// The names of a message's fields as JSON spells them, in plain memory that is never freed, like the layout's table.
///
/// There is one for each type of message, made when the type is first read or written as JSON.
struct JSONNames {
    /// Whether the message is spelled as something else than an object of its fields.
    let shape: WellKnownShape
    /// The names, each in quotes and with a colon behind it, as it is written, and behind those that have escapes the name
    /// itself.
    private let text: UnsafeBufferPointer<UInt8>
    /// Where the names lie in the text: for each slot the one of JSON and that of the .proto file.
    private let spans: UnsafeBufferPointer<Span>
    /// From a name's hash to its place in `spans`, plus one; 0 where there is none.
    ///
    /// The size is a power of two.
    private let index: UnsafeBufferPointer<UInt32>
    /// For each slot whether it is an enum whose only value is JSON's null, or a message that takes null as its value.
    let takesNull: UnsafeBufferPointer<Bool>

    private struct Span {
        let start: Int32
        let end: Int32
        /// The name without quotes, colon and escapes.
        let name: Range<Int32>
    }

    init(_ layout: MessageLayout) {
        shape = WellKnownShape(layout.name)
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
                let place = isPlain ? start + 1..<end - 2 : end..<text.count
                spans.append(
                    Span(
                        start: Int32(start), end: Int32(end), name: Int32(place.lowerBound)..<Int32(place.upperBound)))
            }
        }
        self.text = Self.keep(text)
        self.spans = Self.keep(spans)
        takesNull = Self.keep(layout.fields.map(Self.takesNull))
        var size = 4
        while size < spans.count * 2 { size *= 2 }
        var index = [UInt32](repeating: 0, count: size)
        // JSON's own names first: where another field's name in the file is the same, they win.
        for parity in 0...1 {
            for place in stride(from: parity, to: spans.count, by: 2) where layout.fields[place / 2].number > 0 {
                Self.enter(place, Self.name(spans[place], self.text), self.text, spans, into: &index)
            }
        }
        self.index = Self.keep(index)
    }

    private static func enter(
        _ place: Int, _ name: UnsafeBufferPointer<UInt8>, _ text: UnsafeBufferPointer<UInt8>, _ spans: [Span],
        into index: inout [UInt32]
    ) {
        var probe = hash(name) & (index.count - 1)
        while index[probe] != 0 {
            if equal(Self.name(spans[Int(index[probe]) - 1], text), name) { return }
            probe = (probe + 1) & (index.count - 1)
        }
        index[probe] = UInt32(truncatingIfNeeded: place + 1)
    }

    private static func takesNull(_ field: FieldSchema) -> Bool {
        field.enumeration?.name == "google.protobuf.NullValue"
            || field.child.map { WellKnownShape($0.name) == .value } == true
    }

    private static func keep<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = memory.initialize(from: elements)
        return UnsafeBufferPointer(memory)
    }
}

extension JSONNames {
    /// A field's name in quotes, and the colon.
    @inline(__always)
    func key(_ slot: Int, isProto: Bool) -> UnsafeBufferPointer<UInt8> {
        let span = spans[slot * 2 + (isProto ? 1 : 0)]
        return UnsafeBufferPointer(rebasing: text[Int(span.start)..<Int(span.end)])
    }

    /// The slot of a name in either spelling; the field that is likely to come next is looked at first.
    @inline(__always)
    func slot(of name: UnsafeBufferPointer<UInt8>, likely: Int) -> Int? {
        if likely * 2 < spans.count, Self.equal(Self.name(spans[likely * 2], text), name) { return likely }
        return search(name)
    }

    private func search(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
        var probe = Self.hash(name) & (index.count - 1)
        while index[probe] != 0 {
            let place = Int(index[probe]) - 1
            if Self.equal(Self.name(spans[place], text), name) { return place / 2 }
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
        for place in 0..<left.count where left[place] != right[place] { return false }
        return true
    }

    /// Names are the schema's own, and a text can ask for each only once, so that nobody gains by colliding.
    @inline(__always)
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in name { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash ^ hash >> 15)
    }
}
