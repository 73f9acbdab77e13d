// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim
import LatchCore

/// A content coding that is decoded here (RFC 9110 §8.4.1).
enum ContentCoding: CInt, CaseIterable {
    case gzip, deflate, brotli, zstd

    /// Creates the coding of a name, which is compared without case; nil for a coding that cannot be decoded.
    init?(_ name: String) {
        let coding: ContentCoding? =
            switch name.lowercasedASCII() {
            // RFC 9110 §8.4.1.3.
            case "gzip", "x-gzip": .gzip
            case "deflate": .deflate
            case "br": .brotli
            case "zstd": .zstd
            default: nil
            }
        guard let coding, coding.isAvailable else { return nil }
        self = coding
    }

    /// The registered name.
    var name: String { self == .brotli ? "br" : "\(self)" }

    /// Whether the library for the coding is installed.
    var isAvailable: Bool { latch_decoder_is_available(rawValue) != 0 }

    /// The maximum number of codings of one content, since each one multiplies its size.
    private static let greatestCount = 5

    /// Returns the codings of a content in the order in which they were applied; nil if there are none or one is
    /// unknown.
    ///
    /// Content in an unknown coding is not decoded, as in browsers. Servers write `UTF-8`, `binary` and `aws-chunked`
    /// into this field.
    static func list(_ fields: HTTPFields) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for value in fields.values(of: .contentEncoding) {
            for element in value.utf8.split(separator: 0x2C) {
                let name = String(decoding: trimmed(element), as: UTF8.self)
                if name.isEmpty || name.equalsIgnoringCase("identity") { continue }
                guard let coding = ContentCoding(name), codings.count < greatestCount else { return nil }
                codings.append(coding)
            }
        }
        return codings.isEmpty ? nil : codings
    }
}

/// A decoder of a content, which also knows whether the content is complete.
///
/// Decision: libcurl decodes nothing. It accepts a content that was cut off, and it fails for a coding that it does not
/// know and for gzip with several members. Data is decoded only when there is room for it, so a small response cannot
/// fill the memory of a slow reader.
final class ContentDecoder {
    /// The state of one coding, and the input that it has not decoded yet.
    private struct Stage {
        let decoder: OpaquePointer
        var pending: [UInt8] = []
        var start = 0
    }

    /// The stages; the coding that was applied last comes first.
    private var stages: [Stage] = []
    /// The room for one piece of decoded content.
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// The number of bytes of the next delivery that were decoded before the transfer paused.
    var decodedBytes = 0

    /// Creates the decoder of a content; nil without memory.
    init?(_ codings: [ContentCoding]) {
        for coding in codings.reversed() {
            guard let decoder = latch_decoder_create(coding.rawValue) else { return nil }
            stages.append(Stage(decoder: decoder))
        }
    }

    deinit {
        for stage in stages { latch_decoder_free(stage.decoder) }
        room.deallocate()
    }

    /// Whether every coding has ended, or none has begun.
    var isWhole: Bool {
        stages.allSatisfy { $0.start == $0.pending.count && latch_decoder_is_at_end($0.decoder) != 0 }
    }

    /// Decodes into ``room`` until that is full or the input is used up.
    ///
    /// - Parameter input: The received bytes; the decoded part is removed.
    /// - Returns: The decoded bytes, which are valid until the next call; nil for malformed content.
    func read(_ input: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        read(stages.count - 1, &input, into: room).map { UnsafeRawBufferPointer(rebasing: room[..<$0]) }
    }

    private func read(
        _ index: Int, _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard index > 0 else { return Self.run(stages[0].decoder, &input, into: room) }
        var count = 0
        while count < room.count {
            if stages[index].start == stages[index].pending.count {
                // The next part of the input for this coding, as much as fits.
                var part = [UInt8](repeating: 0, count: 16 << 10)
                guard let size = part.withUnsafeMutableBytes({ read(index - 1, &input, into: $0) }) else { return nil }
                part.removeLast(part.count - size)
                (stages[index].pending, stages[index].start) = (part, 0)
            }
            let (stage, free) = (stages[index], UnsafeMutableRawBufferPointer(rebasing: room[count...]))
            let step = stage.pending.withUnsafeBytes { bytes -> (rest: Int, written: Int)? in
                var rest = UnsafeRawBufferPointer(rebasing: bytes[stage.start...])
                return Self.run(stage.decoder, &rest, into: free).map { (rest.count, $0) }
            }
            guard let step else { return nil }
            stages[index].start = stage.pending.count - step.rest
            if stage.pending.isEmpty, step.written == 0 { break }
            count += step.written
        }
        return count
    }

    private static func run(
        _ decoder: OpaquePointer, _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var taken = 0
        let count = latch_decoder_run(
            decoder, input.baseAddress?.assumingMemoryBound(to: UInt8.self), input.count, &taken,
            room.baseAddress?.assumingMemoryBound(to: UInt8.self), room.count)
        guard count >= 0 else { return nil }
        input = UnsafeRawBufferPointer(rebasing: input[(input.startIndex + taken)...])
        return count
    }
}

extension CurlTransfer {
    /// Receives a chunk of coded content, and returns the number of bytes taken, as libcurl requires.
    ///
    /// Without room for the decoded bytes, libcurl delivers the chunk again later, and its decoded part is skipped.
    func decode(_ bytes: UnsafeRawBufferPointer, by decoder: ContentDecoder) -> Int {
        let skipped = min(decoder.decodedBytes, bytes.count)
        var input = UnsafeRawBufferPointer(rebasing: bytes[skipped...])
        repeat {
            if let responseBuffer, !responseBuffer.hasRoom() {
                decoder.decodedBytes += bytes.count - input.count - skipped
                return Int(CURL_WRITEFUNC_PAUSE)
            }
            guard let piece = decoder.read(&input) else {
                refusal = .malformedMessage("The content of \(authority) does not match its Content-Encoding.")
                return 0
            }
            guard piece.isEmpty || take(piece) == piece.count else { return 0 }
            if piece.count < decoder.room.count, input.isEmpty { break }
        } while true
        decoder.decodedBytes -= skipped
        return bytes.count
    }
}
#endif
