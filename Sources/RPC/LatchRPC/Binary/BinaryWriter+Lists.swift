// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension BinaryWriter {
    /// Writes a repeated field or a map from where it lies.
    mutating func list(
        _ entry: UnsafePointer<FieldEntry>, _ place: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) {
        // An array or a dictionary is one reference, which is null where there is none.
        guard place.at(UInt.self).pointee != 0 else { return }
        let tag = entry.pointee.tag
        switch entry.pointee.cell {
        case .messages:
            elements(place, MessageStorage.self) { (writer: inout BinaryWriter, storage) in
                writer.child(storage, entry)
            }
        case .strings: elements(place, String.self) { (writer: inout BinaryWriter, text) in writer.string(text, tag) }
        case .datas: elements(place, Data.self) { (writer: inout BinaryWriter, data) in writer.data(data.pointee, tag) }
        case .map: table.pointee.map(entry.pointee).write(place, entry.pointee.tag, to: &self)
        case .bools: numbers(place, Bool.self, entry)
        case .int32s, .uint32s, .floats: numbers(place, UInt32.self, entry)
        case .int64s, .uint64s, .doubles: numbers(place, UInt64.self, entry)
        default: break
        }
    }

    /// Calls `body` with each element, the last one first.
    @inline(__always)
    private mutating func elements<Element>(
        _ place: UnsafeMutableRawPointer, _ type: Element.Type,
        _ body: (inout BinaryWriter, UnsafeMutablePointer<Element>) -> Void
    ) {
        place.at([Element]?.self).pointee?.withUnsafeBufferPointer { elements in
            guard let first = elements.baseAddress else { return }
            var element = UnsafeMutablePointer(mutating: first) + elements.count
            while element > UnsafeMutablePointer(mutating: first) {
                element -= 1
                body(&self, element)
            }
        }
    }

    /// Writes numbers, in one run where they are packed.
    private mutating func numbers<Element>(
        _ place: UnsafeMutableRawPointer, _ type: Element.Type, _ entry: UnsafePointer<FieldEntry>
    ) {
        let kind = entry.pointee.kind
        let tag = UInt64(entry.pointee.tag)
        let before = count
        if !entry.pointee.isPacked {
            elements(place, type) { (writer: inout BinaryWriter, element) in
                writer.reserve(Self.headRoom)
                writer.value(element, kind)
                writer.varint(tag)
            }
            return
        }
        let width = MemoryLayout<Element>.size
        if kind.wire != .varint, width > 1 {
            // The platforms of Swift keep the lowest byte first, as the wire does.
            place.at([Element]?.self).pointee?.withUnsafeBytes { raw($0) }
        } else {
            elements(place, type) { (writer: inout BinaryWriter, element) in
                writer.reserve(Self.headRoom)
                writer.value(element, kind)
            }
        }
        head(entry.pointee.tag, since: before)
    }
}
