// SPDX-License-Identifier: Apache-2.0

/// An incremental parser of the requests that arrive on one connection.
///
/// It holds at most one socket read beyond a complete head, since nothing is read while a handler runs. This limits the
/// memory that a pipelining client can occupy.
struct RequestReader {
    /// The bytes that were read from the socket.
    private var input: [UInt8] = []
    /// The number of bytes at the front of `input` that are parsed; advancing it is cheaper than moving the rest.
    private var inputStart = 0
    /// The scanner of the current head.
    private var scanner = HeadScanner()
    /// Whether the single empty line that may precede a head was skipped; a second one is an error.
    private var hasSkippedEmptyLine = false
    /// The head whose content is incomplete.
    private(set) var pendingHead: RequestHead?
    /// The content so far; nil unless a head waits for its content.
    private var decoder: FramedContent?

    /// Whether all received bytes are parsed.
    var isEmpty: Bool { inputStart == input.count }

    /// The number of content bytes that have arrived for the pending head.
    private(set) var contentCount = 0

    /// Adds bytes from the socket, and reuses the space of parsed ones.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        if isEmpty { input.removeAll(keepingCapacity: input.capacity <= 65536) }
        if inputStart > 0, !input.isEmpty { input.removeSubrange(..<inputStart) }
        inputStart = 0
        input.append(contentsOf: bytes)
    }

    /// Whether a connection begins with the preface of HTTP/2 (RFC 9113 §3.4); nil while too few bytes have arrived.
    var beginsHTTP2: Bool? {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8
        guard zip(input, preface).allSatisfy({ $0 == $1 }) else { return false }
        return input.count >= preface.count ? true : nil
    }

    /// Removes and returns the unparsed bytes, for another protocol.
    mutating func takeInput() -> [UInt8] {
        defer { removeAll() }
        return Array(input[inputStart...])
    }

    /// Drops the current request and every unparsed byte.
    mutating func removeAll() { self = RequestReader() }

    /// Prepares for the next head; unparsed bytes belong to it.
    ///
    /// A connection may be idle for long, so it keeps at most the memory of a typical head.
    mutating func beginNextRequest() {
        if isEmpty, input.capacity > 4096 { (input, inputStart) = ([], 0) }
        scanner = HeadScanner()
        hasSkippedEmptyLine = false
    }

    /// Parses a head; nil while it is incomplete.
    ///
    /// - Parameters:
    ///   - cache: The cache of field lines that the connections of a loop share.
    ///   - defaultAuthority: The authority of a request without a host.
    mutating func readHead(
        limits: HeadLimits, cache: inout FieldCache, defaultAuthority: String
    ) throws(Rejection) -> RequestHead? {
        guard skipEmptyLine() else { return nil }
        // Copied, since the closure below must not access `self`.
        var scanner = scanner
        defer { self.scanner = scanner }
        guard let length = try withInput({ bytes throws(Rejection) in try scanner.scan(bytes, limits: limits) }) else {
            return nil
        }
        let head = try withInput { bytes throws(Rejection) in
            try HeadParser.parse(
                UnsafeBufferPointer(rebasing: bytes[..<length]), cache: &cache, defaultAuthority: defaultAuthority)
        }
        inputStart += length
        return head
    }

    /// Begins to read the content that follows a head.
    ///
    /// - Throws: `Rejection.contentTooLarge` if the head announces more than `limit` bytes.
    mutating func beginContent(of head: RequestHead, limit: Int) throws(Rejection) {
        decoder = try FramedContent(head.framing, limit: limit)
        pendingHead = head
        contentCount = 0
    }

    /// Reads content from the input; returns the complete request, or nil while it is incomplete.
    mutating func readContent() throws(Rejection) -> (head: RequestHead, content: [UInt8])? {
        guard var decoder = decoder.take() else { return nil }
        let (count, isComplete) = try withInput { bytes throws(Rejection) in try decoder.decode(bytes) }
        inputStart += count
        contentCount = decoder.content.count
        guard isComplete, let head = pendingHead.take() else {
            self.decoder = decoder
            return nil
        }
        return (head, decoder.content)
    }

    /// Begins to read the content after a head in pieces, without a limit for their sum.
    mutating func beginPieces(of head: RequestHead) throws(Rejection) {
        decoder = try FramedContent(head.framing, limit: .max, isInPieces: true)
    }

    /// Whether the content of the current request is incomplete.
    var hasContent: Bool { decoder != nil }

    /// The number of content bytes that are still missing; nil if only the end determines it.
    var remainingContent: Int? { decoder?.remaining }

    /// Reads content from the input; returns the available bytes, and the trailer section at the end of the content.
    mutating func readPiece() throws(Rejection) -> (bytes: [UInt8], trailers: [UInt8]?) {
        guard var decoder = decoder.take() else { return ([], []) }
        let (count, isComplete) = try withInput { bytes throws(Rejection) in try decoder.decode(bytes) }
        inputStart += count
        let piece = decoder.takePiece()
        guard !isComplete else { return (piece, decoder.trailerLines) }
        self.decoder = decoder
        return (piece, nil)
    }

    /// Skips one empty line before the request line, which some old clients send (RFC 9112 §2.2).
    ///
    /// - Returns: False while there are too few bytes to decide, or only the empty line.
    private mutating func skipEmptyLine() -> Bool {
        guard !hasSkippedEmptyLine, input[inputStart] == 0x0D else { return true }
        guard input.count - inputStart >= 2 else { return false }
        hasSkippedEmptyLine = true
        if input[inputStart + 1] == 0x0A { inputStart += 2 }
        return !isEmpty
    }

    /// Runs `body` on the unparsed bytes without copying them; the pointer is valid only during the call.
    private func withInput<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = inputStart
        return try input.withUnsafeBufferPointer { bytes throws(Failure) in
            try body(UnsafeBufferPointer(rebasing: bytes[start...]))
        }
    }
}
