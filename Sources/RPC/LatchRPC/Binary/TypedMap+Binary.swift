// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension TypedMap {
    /// Writes each entry as a message with the key as field 1 and the value as field 2.
    func writeEntries(_ place: UnsafeMutableRawPointer, _ tag: UInt32, to writer: inout BinaryWriter) {
        guard let map = map(place).pointee else { return }
        if writer.isDeterministic {
            for (key, value) in map.sorted(by: { $1.key.isBefore($0.key) }) { write(key, value, tag, to: &writer) }
        } else {
            for (key, value) in map { write(key, value, tag, to: &writer) }
        }
    }

    @inline(__always)
    private func write(_ key: Key, _ value: Value, _ tag: UInt32, to writer: inout BinaryWriter) {
        let before = writer.count
        value.write(to: &writer, kind)
        writer.reserve(BinaryWriter.headRoom)
        writer.varint(UInt64(2 << 3 | kind.wire.rawValue))
        key.write(to: &writer, self.key)
        writer.varint(UInt64(1 << 3 | self.key.wire.rawValue))
        writer.head(tag, since: before)
    }

    /// Reads an entry: its parts in any order, the last of each counts, what is missing has its default.
    func readEntry(
        _ place: UnsafeMutableRawPointer, _ decoder: inout BinaryDecoder, _ start: UnsafePointer<UInt8>,
        _ memory: UnsafeMutableRawPointer
    ) throws(DecodingFailure) {
        // An entry is a message, though nobody sees it.
        guard decoder.depth > 0 else { throw .tooDeep }
        decoder.depth -= 1
        let length = try decoder.length()
        let outer = decoder.end
        decoder.end = decoder.at + length
        var key = Key.none
        var value = Value.zero(self)
        let keyTag = UInt32(1 << 3 | self.key.wire.rawValue)
        let valueTag = UInt32(2 << 3 | kind.wire.rawValue)
        while decoder.at < decoder.end {
            let tag = try decoder.tag()
            if tag == keyTag {
                try key.read(from: &decoder, self.key, self)
            } else if tag == valueTag {
                try value.read(from: &decoder, kind, self)
            } else {
                try decoder.skip(tag)
            }
        }
        decoder.end = outer
        decoder.depth += 1
        guard value.isKnown(self) else { return decoder.keep(start, memory) }
        update(place) { $0[key] = value }
    }
}
