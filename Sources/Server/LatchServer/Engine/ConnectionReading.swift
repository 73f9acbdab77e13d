// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension Connection {
    /// Parses a head, or reads more input; false if there is none.
    func readHead() -> Bool {
        guard !reader.isEmpty else { return receive() }
        if !hasHeadBegun {
            // From its first byte on a head has its own deadline, independent of the idle time. The first head of a
            // connection begins when the connection is accepted, so it includes the handshake.
            hasHeadBegun = true
            if exchange > 0 || isDraining { deadline = loop.now &+ loop.configuration.headDeadline }
        }
        if exchange == 0, loop.configuration.supportsHTTP2, let canContinue = becomeHTTP2() { return canContinue }
        do throws(Rejection) {
            let head = try reader.readHead(
                limits: loop.configuration.headLimits, cache: &loop.fieldCache,
                defaultAuthority: loop.configuration.authority)
            guard let head else { return receive() }
            try begin(head)
        } catch { reject(error) }
        return true
    }

    /// Hands the socket over if the client speaks HTTP/2, as TLS has negotiated or the first bytes show.
    ///
    /// - Returns: Whether this connection can continue; nil if its first bytes are an HTTP/1.1 request.
    private func becomeHTTP2() -> Bool? {
        if stream.isEncrypted {
            guard stream.hasAgreedOnHTTP2 else { return nil }
        } else {
            guard let isPreface = reader.beginsHTTP2 else { return receive() }
            guard isPreface else { return nil }
        }
        guard let next = HTTP2Connection(stream, self, isReadable: isReadable) else { return nil }
        phase = .closed
        loop.replace(self, by: next, continuingWith: reader.takeInput())
        return false
    }

    /// Calls the handler immediately if no content follows the head, and otherwise awaits the content.
    private func begin(_ head: consuming RequestHead) throws(Rejection) {
        guard head.framing != .length(0) else { return handle(head, content: .empty) }
        let limit: Int
        switch loop.configuration.reception(head.method, head.path, overHTTP2: false) {
        case .streamed(let limit): return try handleArriving(head, limit: limit)
        case .collected(let bytes, let isReported): (limit, handlerReportsLimit) = (bytes, isReported)
        }
        do throws(Rejection) {
            try reader.beginContent(of: head, limit: limit)
        } catch {
            guard handlerReportsLimit else { throw error }
            return handleOversized(head)
        }
        phase = .content
        deadline = loop.now &+ loop.configuration.bodyDeadline
        // RFC 9110 §10.1.1: a client that has begun to send does not wait for the interim response.
        guard head.expectsContinue, reader.isEmpty else { return }
        output.append("HTTP/1.1 100 Continue\r\n\r\n")
        flushOutput()
    }

    /// Decodes content, or reads more input; false if there is none.
    func readContent() -> Bool {
        guard !reader.isEmpty else { return receive() }
        do throws(Rejection) {
            let request = try reader.readContent()
            guard reserveContent(reader.contentCount) else { throw .contentMemoryExhausted }
            if let request { handle(request.head, content: HTTPBody(request.content)) }
        } catch {
            guard error == .contentTooLarge, handlerReportsLimit, let head = reader.pendingHead else {
                reject(error)
                return true
            }
            handleOversized(head)
        }
        return true
    }

    /// Lets the handler report that the content is too large; the rest of it is never parsed as a request.
    private func handleOversized(_ head: RequestHead) {
        var head = head
        head.keepsAlive = false
        releaseMemory()
        reader.removeAll()
        handle(head, content: HTTPBody(HTTPBodyStream(once: { throw HTTPError.tooLarge })))
    }

    /// Adds bytes from the socket to the input; false if there are none.
    func receive() -> Bool { read { reader.append($0) } }

    /// Drops bytes that the client sends after the last response (RFC 9112 §9.6).
    ///
    /// Closing with unread bytes would reset the connection, and the client could lose the response.
    func discardInput() -> Bool { read { _ in } }

    private func read(_ consume: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
        guard isReadable else { return false }
        let scratch = loop.scratch
        switch stream.read(into: scratch) {
        case .transferred(let count):
            // The kernel reports each arrival again, so a read that did not fill the buffer has emptied the socket.
            if count < scratch.count, !stream.isEncrypted, !hasPeerEnded { isReadable = false }
            consume(UnsafeBufferPointer(rebasing: scratch[..<count]))
        case .wouldBlock:
            isReadable = false
            return false
        case .ended: close()
        }
        return true
    }
}
