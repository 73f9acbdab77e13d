// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchHTTP

extension Connection {
    /// Takes a head from the input, or more input; false when there is nothing to take.
    func readHead() -> Bool {
        guard inputStart < input.count else { return receive() }
        if !hasHeadBegun { beginHead() }
        guard skipEmptyLine() else { return receive() }
        do throws(Refusal) {
            guard let length = try scanHead() else { return receive() }
            let head = try parseHead(length)
            try begin(head)
        } catch { refuse(error) }
        return true
    }

    /// The first byte of a head is here: from now on it has its own deadline, whatever was left of the idle time.
    ///
    /// The first head of a connection began when the connection was accepted, with the handshake before it.
    private func beginHead() {
        hasHeadBegun = true
        if exchange > 0 { deadline = loop.now &+ loop.terms.headDeadline }
    }

    /// RFC 9112 §2.2: one empty line before the request line, left by clumsy clients, is skipped.
    ///
    /// - Returns: False while it is not to be told, because nothing or half of an empty line is here.
    private func skipEmptyLine() -> Bool {
        guard !hasSkippedEmptyLine, input[inputStart] == 0x0D else { return true }
        guard input.count - inputStart >= 2 else { return false }
        hasSkippedEmptyLine = true
        if input[inputStart + 1] == 0x0A { inputStart += 2 }
        return inputStart < input.count
    }

    /// Where the head ends in the input; nil while it is incomplete.
    ///
    /// Bytes that were scanned are not scanned again.
    private func scanHead() throws(Refusal) -> Int? {
        var scanner = scanner
        defer { self.scanner = scanner }
        let limits = loop.terms.headLimits
        return try withInput { bytes throws(Refusal) in try scanner.scan(bytes, limits: limits) }
    }

    /// Takes the head off the input; the cache of names is the loop's, so that connections share it.
    private func parseHead(_ length: Int) throws(Refusal) -> RequestHead {
        let authority = loop.terms.authority
        let loop = loop
        let head = try withInput { bytes throws(Refusal) in
            try HeadParser.parse(
                UnsafeBufferPointer(rebasing: bytes[..<length]), names: &loop.names, defaultAuthority: authority)
        }
        inputStart += length
        return head
    }

    /// Runs `body` on what is not taken yet, without a copy; the bytes are not to be kept.
    private func withInput<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = inputStart
        return try input.withUnsafeBufferPointer { bytes throws(Failure) in
            try body(UnsafeBufferPointer(rebasing: bytes[start...]))
        }
    }

    /// The head is in order: asks the handler at once where no content follows, else awaits the content.
    private func begin(_ head: RequestHead) throws(Refusal) {
        guard head.framing != .length(0) else { return answer(head, content: .empty) }
        let limit = loop.terms.contentLimits.limit(at: head.path)
        do throws(Refusal) {
            decoder = try ContentDecoder(head.framing, limit: limit.bytes)
        } catch {
            guard limit.isHandlers else { throw error }
            return answerOverLimit(head)
        }
        self.head = head
        phase = .content
        deadline = loop.now &+ loop.terms.bodyDeadline
        // RFC 9110 §10.1.1: who has begun to send does not wait for leave.
        guard head.expectsContinue, inputStart == input.count else { return }
        output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
        flushOutput()
    }

    /// Takes content from the input, or more input; false when there is nothing to take.
    func readContent() -> Bool {
        guard inputStart < input.count else { return receive() }
        do throws(Refusal) {
            guard var decoder else { return false }
            self.decoder = nil
            let (taken, isComplete) = try withInput { bytes throws(Refusal) in try decoder.take(bytes) }
            inputStart += taken
            guard holdContent(decoder.content.count) else { throw .noRoom }
            guard isComplete, let head else {
                self.decoder = decoder
                return true
            }
            self.head = nil
            answer(head, content: HTTPBody(decoder.content))
        } catch {
            guard error == .bodyTooLarge, let head, loop.terms.contentLimits.limit(at: head.path).isHandlers else {
                refuse(error)
                return true
            }
            answerOverLimit(head)
        }
        return true
    }

    /// Leaves it to the handler to say that the content is too large; the rest of it is never read as a request.
    private func answerOverLimit(_ head: RequestHead) {
        var head = head
        head.keepsAlive = false
        (self.head, decoder) = (nil, nil)
        holdContent(0)
        (input, inputStart) = ([], 0)
        answer(head, content: HTTPBody(HTTPBodyStream(once: { throw HTTPError.tooLarge })))
    }

    /// Takes bytes from the socket into the input; false when there are none.
    private func receive() -> Bool {
        guard isReadable else { return false }
        let scratch = loop.scratch
        switch stream.read(into: scratch) {
        case .moved(let count):
            // The kernel reports each arrival anew, so a read that did not fill the buffer has emptied the socket.
            if count < scratch.count, !stream.isEncrypted, !hasPeerEnded { isReadable = false }
            if inputStart == input.count { input.removeAll(keepingCapacity: input.capacity <= 65536) }
            if inputStart > 0, !input.isEmpty { input.removeSubrange(..<inputStart) }
            inputStart = 0
            input.append(contentsOf: UnsafeBufferPointer(rebasing: scratch[..<count]))
        case .wouldBlock:
            isReadable = false
            return false
        case .ended: close()
        }
        return true
    }

    /// Drops what the client still sends after the last answer (RFC 9112 §9.6); closing with unread bytes would reset
    /// the connection and could take the answer from the client.
    func discardInput() -> Bool {
        guard isReadable else { return false }
        switch stream.read(into: loop.scratch) {
        case .moved: return true
        case .wouldBlock:
            isReadable = false
            return false
        case .ended:
            close()
            return false
        }
    }
}

#endif
