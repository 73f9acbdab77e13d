// SPDX-License-Identifier: Apache-2.0

/// The DATA frames in a client's bytes, which arrive in pieces of any length.
///
/// The session does not report a DATA frame whose stream has ended, which RFC 9113 §6.1 defines as an error.
struct HTTP2DataFrames {
    /// A DATA frame whose head has arrived.
    struct Frame {
        /// The position in the piece at which the frame starts; 0 if its head began in an earlier piece.
        let start: Int
        let stream: Int32
        /// The number of bytes of the payload.
        let length: Int
    }

    /// The position in the current piece.
    private var position = 0
    /// The number of bytes up to the next head: first of the preface (RFC 9113 §3.4), then of payloads.
    private var distance = 24
    /// The number of bytes of the head that have arrived.
    private var count = 0
    private var length = 0
    private var type: UInt8 = 0
    private var stream: UInt32 = 0

    private static let headByteCount = 9

    /// Returns the next DATA frame whose head ends in a piece; nil at the end of the piece.
    mutating func next(in bytes: UnsafeBufferPointer<UInt8>) -> Frame? {
        while true {
            let skipped = min(distance, bytes.count - position)
            position += skipped
            distance -= skipped
            while distance == 0, count < Self.headByteCount, position < bytes.count {
                append(bytes[position])
                position += 1
            }
            guard count == Self.headByteCount else {
                position = 0
                return nil
            }
            (count, distance) = (0, length)
            // The first bit is reserved (RFC 9113 §4.1).
            let id = Int32(truncatingIfNeeded: stream & 0x7FFF_FFFF)
            guard type == HTTP2Frame.Kind.data.rawValue else { continue }
            return Frame(start: max(position - Self.headByteCount, 0), stream: id, length: length)
        }
    }

    /// Takes the next byte of a head (RFC 9113 §4.1).
    private mutating func append(_ byte: UInt8) {
        switch count {
        case 0: length = Int(byte)
        case 1, 2: length = length << 8 | Int(byte)
        case 3: type = byte
        case 4: break
        default: stream = stream << 8 | UInt32(byte)
        }
        count += 1
    }
}
