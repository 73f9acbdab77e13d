// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The content of a request over HTTP/1.1 that arrives while its handler runs.
final class ArrivingContent {
    /// The number of unread bytes from which the socket is not read.
    static let unreadLimit = 64 << 10
    /// The number of bytes that are read and dropped after an early response, so that the connection can continue.
    static let discardLimit = 64 << 10

    /// The content that the handler reads.
    let content: StreamedContent
    /// The number of bytes that have arrived but that the handler has not taken.
    var unread = 0
    /// Whether the client waits for `100 Continue`, as far as the server knows.
    var awaitsContinue: Bool
    /// The time by which the client has to send more; `.max` while it waits for the server, and at the end.
    var deadline: UInt64
    /// Whether no more content is read for the handler.
    private(set) var hasEnded = false

    init(_ content: StreamedContent, awaitsContinue: Bool, deadline: UInt64) {
        (self.content, self.awaitsContinue, self.deadline) = (content, awaitsContinue, deadline)
    }

    /// Ends the content.
    func end(_ result: Result<HTTPFields, any Error>) {
        (hasEnded, deadline) = (true, .max)
        content.finish(result)
    }
}

extension Connection {
    /// Calls the handler, which reads the content while it arrives.
    func handleArriving(_ head: RequestHead, limit: Int?) throws(Rejection) {
        try reader.beginPieces(of: head)
        let exchange = exchange + 1
        let content = StreamedContent(
            length: reader.remainingContent, taken: { [self] in taken($0, exchange) },
            awaited: { [self] in contentIsAwaited(exchange) })
        let deadline = head.expectsContinue ? .max : loop.now &+ loop.configuration.bodyDeadline
        arriving = ArrivingContent(content, awaitsContinue: head.expectsContinue, deadline: deadline)
        handle(head, content: content.body, limit: limit)
    }

    /// Passes content to the handler, or reads more input; false if there is none, or the handler has enough.
    func receiveArriving() -> Bool {
        guard let arriving else { return false }
        // The rest of an interim response.
        if phase == .handling, !output.isEmpty { flushOutput() }
        guard phase != .closed, !arriving.hasEnded, arriving.unread < ArrivingContent.unreadLimit else { return false }
        guard !reader.isEmpty else { return receive() }
        do throws(Rejection) {
            let (piece, trailers) = try reader.readPiece()
            guard memory.reserve(piece.count + (trailers?.count ?? 0)) else {
                failArriving(ServerError.memoryExhausted)
                return true
            }
            arriving.awaitsContinue = false
            arriving.unread += piece.count
            arriving.deadline =
                arriving.unread >= ArrivingContent.unreadLimit
                ? .max
                : loop.configuration.minimumContentRate.deadline(
                    arriving.deadline, after: piece.count, now: loop.now)
            if !piece.isEmpty { piece.withUnsafeBufferPointer(arriving.content.append) }
            if let trailers { endArriving(arriving, trailers) }
        } catch {
            failArriving(ServerError(error))
        }
        return true
    }

    private func endArriving(_ arriving: ArrivingContent, _ trailers: [UInt8]) {
        let fields = trailers.withUnsafeBufferPointer { HeadParser.fields(ofTrailers: $0, cache: &loop.fieldCache) }
        arriving.end(.success(fields))
        if hasPeerEnded { cancelIfAbandoned() }
    }

    /// Lets the handler's next read fail; later bytes of the client are never parsed as a request.
    func failArriving(_ error: any Error) {
        closesAfterResponse = true
        reader.removeAll()
        arriving?.end(.failure(error))
    }

    /// Continues to read when the handler has taken content.
    private func taken(_ count: Int, _ exchange: Int) {
        guard loop.isCurrent else { return loop.submit { [self] in taken(count, exchange) } }
        guard self.exchange == exchange, let arriving else { return }
        memory.release(count)
        arriving.unread -= count
        guard !arriving.hasEnded, arriving.unread < ArrivingContent.unreadLimit else { return }
        if arriving.deadline == .max, !arriving.awaitsContinue {
            arriving.deadline = loop.now &+ loop.configuration.bodyDeadline
        }
        advance()
    }

    /// Asks a client for content that it sends only after a 100 response (RFC 9110 §10.1.1).
    private func contentIsAwaited(_ exchange: Int) {
        guard loop.isCurrent else { return loop.submit { [self] in contentIsAwaited(exchange) } }
        guard self.exchange == exchange, phase == .handling, let arriving, arriving.awaitsContinue else { return }
        askForContent(arriving)
    }

    private func askForContent(_ arriving: ArrivingContent) {
        arriving.awaitsContinue = false
        arriving.deadline = loop.now &+ loop.configuration.bodyDeadline
        // A client that has begun to send does not wait.
        guard reader.isEmpty else { return }
        output.append("HTTP/1.1 100 Continue\r\n\r\n")
        flushOutput()
    }

    /// Decides how to treat content that is incomplete when its handler responds.
    ///
    /// A short rest is dropped after the response. With a longer rest or an unknown length, the connection ends.
    ///
    /// - Parameter isStream: Whether the response has a source, which may continue to read.
    func settleArriving(isStream: Bool) {
        guard let arriving else { return }
        if !isStream {
            arriving.content.finish(.failure(HTTPError.cancelled))
            self.arriving = nil
            dropBufferedContent()
        }
        guard reader.hasContent else { return }
        // The source of the response may read the content, but after the head of the response it cannot ask for it.
        if isStream, arriving.awaitsContinue { askForContent(arriving) }
        // A client that still waits for 100 may send the content or the next request.
        let isShort = reader.remainingContent ?? .max <= ArrivingContent.discardLimit
        if isStream || arriving.awaitsContinue || !isShort { closesAfterResponse = true }
    }

    private func dropBufferedContent() {
        do throws(Rejection) {
            while reader.hasContent, !reader.isEmpty { _ = try reader.readPiece() }
        } catch {
            closesAfterResponse = true
            reader.removeAll()
        }
    }

    /// Drops content until the next request; false if there is none.
    func discardContent() -> Bool {
        guard !reader.isEmpty else { return receive() }
        do throws(Rejection) {
            if try reader.readPiece().trailers != nil { beginNextRequest() }
        } catch {
            close()
        }
        return true
    }
}

extension ServerError {
    /// The error of a request whose content cannot be read further.
    fileprivate init(_ rejection: Rejection) {
        self.init(code: "malformedRequest", message: rejection.reason, status: rejection.status)
    }
}
