// SPDX-License-Identifier: Apache-2.0

/// A writer of the wire format (Protocol Buffers encoding), for descriptors and options.
///
/// It is for the compiler's own messages; generated code uses the runtime's codec.
package struct WireWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func varint(_ number: Int32, _ value: UInt64) {
        tag(number, 0)
        plain(value)
    }

    package mutating func int32(_ number: Int32, _ value: Int32) { varint(number, UInt64(bitPattern: Int64(value))) }

    package mutating func bool(_ number: Int32, _ value: Bool) { varint(number, value ? 1 : 0) }

    package mutating func string(_ number: Int32, _ text: String) { bytes(number, Array(text.utf8)) }

    package mutating func bytes(_ number: Int32, _ value: [UInt8]) {
        tag(number, 2)
        plain(UInt64(value.count))
        bytes += value
    }

    /// Writes the lowest bytes of a number without a tag.
    mutating func plain(_ value: UInt64, width: Int) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0.prefix(width) }
    }

    /// Writes an embedded message.
    package mutating func message(_ number: Int32, _ body: (inout WireWriter) -> Void) {
        var inner = WireWriter()
        body(&inner)
        bytes(number, inner.bytes)
    }

    package mutating func group(_ number: Int32, _ body: (inout WireWriter) -> Void) {
        tag(number, 3)
        body(&self)
        tag(number, 4)
    }

    /// Writes a varint without a tag, as in packed fields.
    package mutating func plain(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes the tag of a field; its wire type is that of the following value.
    mutating func tag(_ number: Int32, _ wireType: UInt64) {
        plain(UInt64(UInt32(bitPattern: number)) << 3 | wireType)
    }
}
