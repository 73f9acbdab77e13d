// SPDX-License-Identifier: Apache-2.0

/// A response whose content comes from a source while it is written.
struct StreamedResponse {
    /// Whether the content is sent in chunks (RFC 9112 §7.1); otherwise its length or the connection ends it.
    let isChunked: Bool
    /// Returns the fields that follow the content (RFC 9112 §7.1.2).
    let trailers: @Sendable () -> HTTPFields
    /// The producer, suspended until the socket has accepted its piece, and then told whether more is wanted.
    var producer: UnsafeContinuation<Bool, Never>?
    /// Whether a chunk was written; then a line end must follow its bytes.
    private(set) var hasChunk = false

    /// Appends a piece of the content.
    mutating func append(_ piece: [UInt8], to output: inout OutputBuffer) {
        if isChunked {
            output.append("\(hasChunk ? "\r\n" : "")\(String(piece.count, radix: 16))\r\n")
            hasChunk = true
        }
        output.append(content: piece)
    }

    /// Appends the last chunk and the trailers.
    func appendEnd(to output: inout OutputBuffer) {
        guard isChunked else { return }
        output.append("\(hasChunk ? "\r\n" : "")0\r\n\(ResponseWriter.trailerSection(trailers()))\r\n")
    }
}
