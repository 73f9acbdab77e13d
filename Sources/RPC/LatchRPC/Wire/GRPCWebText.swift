// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// The base64 form of content in `application/grpc-web-text`.
enum GRPCWebText {
    /// Encodes a chunk with padding, so that chunks can follow one another.
    static func encode(_ bytes: [UInt8]) -> [UInt8] { Array(Base64Alphabet.standard.encodePadded(bytes).utf8) }

    /// Encodes a source without padding between chunks, which some readers refuse (Envoy).
    ///
    /// Up to two bytes of a chunk are sent with the next one.
    static func encoding(_ source: @escaping HTTPBodyStream.Source) -> HTTPBodyStream.Source {
        let rest = Mutex<[UInt8]?>([])
        return {
            guard let held = rest.withLock({ $0.take() }) else { return nil }
            guard let piece = try await source() else { return held.isEmpty ? nil : encode(held) }
            let bytes = held + piece
            let whole = bytes.count - bytes.count % 3
            rest.withLock { $0 = Array(bytes[whole...]) }
            return encode(Array(bytes[..<whole]))
        }
    }

    /// Decodes base64 content, whether each chunk is padded or only the last one.
    static func decoding(_ content: HTTPBodyStream) -> HTTPBodyStream {
        let reader = Mutex(Reader(chunks: content.makeAsyncIterator()))
        return HTTPBodyStream(once: {
            var own = reader.withLock { $0 }
            let piece = try await own.next()
            reader.withLock { [own] in $0 = own }
            return piece
        })
    }

    /// The undecoded rest of the content.
    private struct Reader: Sendable {
        /// The number of characters that are decoded at a time, which takes a fraction of a millisecond.
        private static let pieceBytes = 32 << 10

        var chunks: HTTPBodyStream.Iterator
        /// The rest of the last chunk.
        var chunk: ArraySlice<UInt8> = []
        /// The remaining characters, fewer than four.
        var rest: [UInt8] = []

        mutating func next() async throws -> [UInt8]? {
            while true {
                if chunk.isEmpty {
                    guard let next = try await chunks.next() else { break }
                    chunk = next[...]
                } else {
                    // In the meantime, a server's loop can serve other requests.
                    await Task.yield()
                }
                let text = rest + chunk.prefix(Self.pieceBytes).filter { $0 != 0x0A && $0 != 0x0D }
                chunk = chunk.dropFirst(Self.pieceBytes)
                let whole = text.count - text.count % 4
                rest = Array(text[whole...])
                guard let bytes = GRPCWebText.decode(text[..<whole]) else {
                    throw RPCError(.internal, "The content is not valid base64.")
                }
                if !bytes.isEmpty { return bytes }
            }
            guard rest.isEmpty else { throw RPCError(.internal, "The base64 content is truncated.") }
            return nil
        }
    }

    /// Decodes groups of four characters, any of which may be padded; nil if they are invalid.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], text)
        while !rest.isEmpty {
            // Up to the next padding, including the group that contains it.
            let digits = rest.prefix { $0 != 0x3D }
            let padding = rest.dropFirst(digits.count).prefix((4 - digits.count % 4) % 4)
            guard !digits.isEmpty, padding.count <= 2, padding.allSatisfy({ $0 == 0x3D }),
                let piece = Base64Alphabet.standard.decode(digits)
            else { return nil }
            bytes.append(contentsOf: piece)
            rest = rest.dropFirst(digits.count + padding.count)
        }
        return bytes
    }
}
