// SPDX-License-Identifier: Apache-2.0

/// One piece of a stream: a byte of flags, a length of four bytes, and so many bytes.
///
/// Connect's streams, gRPC and gRPC-Web all cut their streams so (gRPC over HTTP/2, "Length-Prefixed-Message").
struct Envelope: Sendable {
    /// What the bytes are.
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        /// They are compressed in the way that the head says.
        static let compressed = Flags(rawValue: 0x01)
        /// Connect: they end the stream.
        static let endOfStream = Flags(rawValue: 0x02)
        /// gRPC-Web: they are the trailers.
        static let trailers = Flags(rawValue: 0x80)
    }

    var flags: Flags
    var content: [UInt8]

    /// How many bytes stand before the content.
    static let prefixBytes = 5

    /// A piece with its content.
    init(_ content: [UInt8], flags: Flags = []) {
        self.flags = flags
        self.content = content
    }

    /// A message, made smaller where there is a way that helps.
    init(_ message: [UInt8], by compression: RPCCompression?) throws {
        let isWorthIt = compression.map { message.count >= $0.smallestMessage } ?? false
        let smaller = isWorthIt ? try compression?.compress(message) : nil
        self.init(smaller ?? message, flags: smaller == nil ? [] : .compressed)
    }

    /// The length of the content of the piece that these bytes begin with; nil where there are too few to tell.
    static func length(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= prefixBytes else { return nil }
        return bytes[1..<prefixBytes].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The piece as it goes on the wire.
    var bytes: [UInt8] {
        let count = UInt32(truncatingIfNeeded: content.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count + Self.prefixBytes)
        bytes.append(flags.rawValue)
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
        bytes.append(contentsOf: content)
        return bytes
    }

    /// The message in it.
    ///
    /// - Throws: `RPCError.internal` where it is compressed in no way that was said, and what taking it off throws.
    func message(by compression: RPCCompression?, limit: Int) throws -> [UInt8] {
        guard flags.contains(.compressed) else { return content }
        guard let compression else {
            throw RPCError(.internal, "A message is compressed, but nothing says how.")
        }
        return try compression.decompress(content, limit)
    }
}
