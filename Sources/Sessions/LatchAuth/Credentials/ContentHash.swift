// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto
internal import LatchHTTP

/// Digests of a message's content, which may be a stream.
enum ContentHash {
    /// Returns the digest of the whole content; a stream is read for this, and again when it is sent.
    ///
    /// - Throws: `AuthError.unsignableContent` if the content can be read only once, and the error of the stream.
    static func digest<Hash: HashFunction>(of body: HTTPBody, by hash: Hash.Type) async throws -> [UInt8] {
        guard let stream = body.stream else { return Array(Hash.hash(data: body.bytes)) }
        guard stream.isReplayable else { throw AuthError.unsignableContent }
        var state = Hash()
        for try await chunk in stream { state.update(data: chunk) }
        return Array(state.finalize())
    }

    /// Returns bytes in lowercase hexadecimal.
    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
