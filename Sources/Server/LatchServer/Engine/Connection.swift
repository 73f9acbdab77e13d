// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// One connection: reads a request, lets the handler respond, writes the response, and begins again.
///
/// The next request is not read before the previous response is written, so a client that pipelines gets its responses
/// in order. A connection belongs to the thread of its loop. It is `@unchecked Sendable` because tasks hold it, and
/// they return to that thread before they access it.
final class Connection: ServedConnection, @unchecked Sendable {
    /// The state of a connection; each one has another meaning of `deadline` and another next step.
    enum Phase {
        /// The head of a request is awaited or incomplete.
        case head
        /// The content is incomplete.
        case content
        /// The handler runs; its content may still arrive.
        case handling
        /// The response is being written.
        case writing
        /// The response is being written while its source produces it.
        case streaming
        /// The response is written, and a short rest of the request's content is dropped before the next request.
        case discarding
        /// The last response is written; the client has time to read it before the socket closes.
        case lingering
        /// The descriptor is closed; the stream must no longer be used.
        case closed
    }

    /// The loop; everything here runs on its thread.
    let loop: EventLoop
    /// The other end, which the connection limiter counts until `close()`.
    let peer: PeerAddress
    /// The memory that requests of the other end may hold.
    let budget: MemoryBudget
    /// The context of every request of this connection.
    private var context: HTTPContext
    /// The socket.
    ///
    /// Do not use it in the phase `closed`: its descriptor may then belong to another connection.
    var stream: ByteStream
    let token: UInt64
    var phase = Phase.head
    /// The time at which the current phase must have ended, on the loop's clock.
    var deadline: UInt64

    var reader = RequestReader()
    /// Whether a read may return bytes; edge-triggered events set it, an empty socket clears it.
    ///
    /// A request may already be present, so a loop that stops must check before it closes the connection.
    var isReadable = true
    /// Whether the client has ended its side; it may still read.
    var hasPeerEnded = false
    /// Whether a byte of the next head has arrived; then an expired deadline is a request timeout.
    var hasHeadBegun = false
    /// The bytes that the current request holds: its content, and the data that its handler decodes from it.
    let memory: MemoryReservation
    /// The number of content bytes in `memory`.
    private var reservedContent = 0

    /// The content that the handler reads while it arrives; nil for content that is collected first.
    var arriving: ArrivingContent?
    /// Whether the handler reports that the content is too large.
    var handlerReportsLimit = false

    /// The handler's task, which is canceled when the client leaves; nil when it has completed without suspending.
    private var task: Task<Void, Never>?
    /// The number of the current exchange, which identifies a late response.
    var exchange = 0
    /// Whether the server is shutting down, so that the next response is the last.
    var isDraining = false

    var output = OutputBuffer()
    /// The response that is being produced; nil unless the phase is `streaming`.
    private var streamed: StreamedResponse?
    /// Whether the client supports chunks; HTTP/1.0 does not.
    private var acceptsChunks = true
    /// Whether the socket may accept more bytes; a full socket clears it, an event sets it.
    private var isWritable = true
    /// Whether the current response is the last one; the client, the handler or the server can require that.
    var closesAfterResponse = false
    /// Whether `advance()` is on the call stack: a handler that responds immediately would call it recursively.
    private var isAdvancing = false

    /// An accepted connection; its first head, including the TLS handshake, is due within `headDeadline`.
    init(_ stream: ByteStream, _ peer: PeerAddress, _ budget: MemoryBudget, token: UInt64, loop: EventLoop) {
        self.stream = stream
        (self.peer, self.budget, self.token, self.loop) = (peer, budget, token, loop)
        memory = MemoryReservation(budget)
        var context = HTTPContext()
        context[RemoteAddress.self] = peer.text
        context[ProtocolVersion.self] = "HTTP/1.1"
        context.memory = memory
        self.context = context
        deadline = loop.now &+ loop.configuration.headDeadline
    }

    func handle(_ change: SocketChange) {
        if change.includes(.writable) { isWritable = true }
        // The handshake writes while it reads: a read may have stopped at a full socket.
        if change.includes(.readable) || stream.isEncrypted { isReadable = true }
        if change.includes(.ended) { hasPeerEnded = true }
        if change.includes(.broken) { return close() }
        if hasPeerEnded, phase == .handling || phase == .streaming { cancelIfAbandoned() }
        advance()
    }

    /// Continues as far as possible without waiting, for a limited number of steps.
    ///
    /// A client that pipelines must not delay others.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        for _ in 0..<8 {
            let canContinue =
                switch phase {
                case .head: readHead()
                case .content: readContent()
                case .writing: writeOutput()
                case .streaming: writeChunk() || receiveArriving()
                case .handling: receiveArriving()
                case .discarding: discardContent()
                case .lingering: discardInput()
                case .closed: false
                }
            guard canContinue else { return }
        }
        loop.resumeLater(self)
    }

    /// Closes the connection immediately, and cancels its task, which releases the request's memory when it ends.
    func close() {
        guard phase != .closed else { return }
        if phase != .handling, phase != .streaming { releaseMemory() }
        // RFC 9112 §8: the client must be able to detect that the message is incomplete.
        if phase == .writing || phase == .streaming { stream.resetsAtClose() }
        phase = .closed
        arriving.take()?.content.finish(.failure(HTTPError.cancelled))
        task?.cancel()
        task = nil
        streamed?.producer.take()?.resume(returning: false)
        loop.remove(token, descriptor: stream.descriptor)
        stream.close()
        loop.configuration.limiter.release(peer)
    }

    /// Ends the phase if its deadline has passed.
    func checkDeadlines() {
        if let arriving, arriving.deadline <= loop.now { failArriving(HTTPError.timeout) }
        guard deadline <= loop.now else { return }
        switch phase {
        case .head where hasHeadBegun, .content:
            reject(.requestTimeout)
            advance()
        case .head, .writing, .streaming, .discarding, .lingering, .closed: close()
        case .handling: break
        }
    }

    func beginDraining() {
        isDraining = true
        advance()
        guard phase == .head, !hasHeadBegun else { return }
        guard exchange == 0 else { return close() }
        // The client has connected to send a request, and its TLS handshake may still be in progress.
        deadline = min(deadline, loop.now &+ Self.partingTime)
    }

    /// Accounts for arrived content; false if all requests together hold too much.
    func reserveContent(_ count: Int) -> Bool {
        guard count > reservedContent else { return true }
        guard memory.reserve(count - reservedContent) else { return false }
        reservedContent = count
        return true
    }

    /// Releases the memory of the current request.
    func releaseMemory() {
        reservedContent = 0
        memory.releaseAll()
    }
}

// MARK: - Handling

extension Connection {
    /// Calls the handler, on this thread until it suspends.
    ///
    /// - Parameter limit: The limit of the content in the configuration, which replaces the endpoint's.
    func handle(_ head: consuming RequestHead, content: HTTPBody, limit: Int? = nil) {
        phase = .handling
        deadline = .max
        if exchange == 0 { stream.noteCertificate(in: &context) }
        exchange += 1
        let exchange = exchange
        let isHead = head.method == .head
        closesAfterResponse = !head.keepsAlive
        acceptsChunks = head.acceptsChunks
        var request = head.request(loop.configuration.address.scheme, body: content, context)
        if let limit { request.context[ConfiguredContentLimit.self] = limit }
        loop.runningTasks += 1
        let pending: @Sendable () async -> Outcome
        switch loop.configuration.handler.begin(&request) {
        case .ready(let outcome): return complete(exchange, outcome.disclosed(), isHead: isHead)
        case .pending(let outcome): pending = outcome
        }
        let task = loop.startTask { [self] in complete(exchange, await pending().disclosed(), isHead: isHead) }
        // The response may already be there.
        guard phase == .handling, self.exchange == exchange else { return }
        self.task = task
        if hasPeerEnded { cancelIfAbandoned() }
    }

    /// Writes the handler's response, unless the connection was closed in the meantime.
    ///
    /// May be called on any thread. A response to an earlier exchange is dropped.
    private func complete(_ exchange: Int, _ response: HTTPResponse, isHead: Bool) {
        // A task with a task executor returns to it automatically, unless another actor's executor was in between.
        guard loop.isCurrent else {
            return loop.submit { [self] in complete(exchange, response, isHead: isHead) }
        }
        loop.runningTasks -= 1
        // The source of a streamed response may still read the request.
        if phase == .closed || response.body.stream == nil { releaseMemory() }
        guard phase == .handling, self.exchange == exchange else { return }
        task = nil
        settleArriving(isStream: response.body.stream != nil)
        // An expression with both would copy the response.
        if (200...999).contains(response.status.rawValue) {
            write(response, isHead: isHead)
        } else {
            write(.problem(status: .internalServerError), isHead: isHead)
        }
        advance()
    }

    /// Cancels the handler's task if the client has disconnected, but not if the client ended its side after further
    /// requests.
    func cancelIfAbandoned() {
        // If the client still sends, its end is noticed when all input has been read.
        guard reader.isEmpty, arriving?.hasEnded ?? true, stream.isEncrypted || stream.isAtEnd else { return }
        task?.cancel()
    }
}

// MARK: - Writing

extension Connection {
    /// Responds to bytes that are not an accepted request, and accepts no further request from this connection.
    func reject(_ rejection: Rejection) {
        closesAfterResponse = true
        releaseMemory()
        reader.removeAll()
        write(.problem(status: rejection.status, code: nil, detail: rejection.reason), isHead: false)
    }

    /// Begins to write a response.
    private func write(_ response: HTTPResponse, isHead: Bool) {
        let asksToClose = response.fields[.connection]?.lowercasedASCII() == "close"
        closesAfterResponse = closesAfterResponse || asksToClose || isDraining
        // Trailers need chunks (RFC 9112 §7.1), even if all of the content is in memory.
        let trailers = response.body.stream == nil && acceptsChunks ? response.body.trailers : [:]
        let isChunked = acceptsChunks && (response.body.length == nil || !trailers.isEmpty)
        let writer = ResponseWriter(
            date: loop.dateClock.text(), isHead: isHead, closes: closesAfterResponse, isChunked: isChunked)
        phase = .writing
        deadline = loop.now &+ loop.configuration.idleTimeout
        output.borrow(&loop.spareOutput)
        do throws(HTTPError) {
            try writer.write(response, into: &output.bytes)
        } catch {
            return write(.problem(status: .internalServerError), isHead: isHead)
        }
        guard writer.hasContent(response) else { return }
        if let stream = response.body.stream { return begin(stream, isChunked: isChunked) }
        if isChunked {
            ResponseWriter.appendChunks(of: response.body.bytes, trailers: trailers, to: &output.bytes)
        } else {
            output.append(content: response.body.bytes, copyingUpTo: 16384)
        }
    }

    /// Writes the rest of the output, and then begins with the next request; false if the socket is full.
    private func writeOutput() -> Bool {
        guard flushOutput() else { return phase == .closed }
        if closesAfterResponse {
            beginLingering()
        } else if reader.hasContent {
            phase = .discarding
            deadline = loop.now &+ loop.configuration.bodyDeadline
        } else {
            beginNextRequest()
        }
        return true
    }

    /// Writes as much of the output as the socket accepts; returns whether everything was written.
    @discardableResult
    func flushOutput() -> Bool {
        while !output.isEmpty {
            guard isWritable else { return false }
            switch output.write(to: stream) {
            case .transferred(let count):
                guard phase == .writing || phase == .streaming else { continue }
                deadline = loop.configuration.minimumSendRate.deadline(deadline, after: count, now: loop.now)
            case .wouldBlock: isWritable = false
            case .ended:
                close()
                return false
            }
        }
        output.removeAll(leaving: &loop.spareOutput)
        return true
    }

    /// Awaits the next request; if bytes were pipelined, it has already begun.
    func beginNextRequest() {
        phase = .head
        releaseMemory()
        reader.beginNextRequest()
        hasHeadBegun = false
        deadline = loop.now &+ loop.configuration.keepAliveTimeout
        // The client does not know that this is the last response, so its next request may be in transit.
        if isDraining, reader.isEmpty { beginLingering() }
    }

    /// Closes the connection in stages (RFC 9112 §9.6).
    private func beginLingering() {
        stream.endWriting()
        phase = .lingering
        deadline = loop.now &+ Self.partingTime
    }
}

// MARK: - Streaming

extension Connection {
    /// Writes the content of a stream after the head, which is already in the output.
    ///
    /// One piece is held at a time, and the next one is requested when the socket has accepted it. So a slow client
    /// slows the source, and needs no more memory than a fast one.
    private func begin(_ stream: HTTPBodyStream, isChunked: Bool) {
        phase = .streaming
        streamed = StreamedResponse(isChunked: isChunked, trailers: { stream.trailers })
        let exchange = exchange
        loop.runningTasks += 1
        let task = loop.startTask { [self] in
            let isComplete = await stream.forEachPiece { piece in await send(piece, exchange) }
            endStream(exchange, isComplete: isComplete)
        }
        guard phase == .streaming, self.exchange == exchange else { return }
        self.task = task
        if hasPeerEnded { cancelIfAbandoned() }
    }

    /// Passes a piece to the socket and waits until it is accepted; returns false if no more is wanted.
    private func send(_ piece: [UInt8], _ exchange: Int) async -> Bool {
        await withUnsafeContinuation { producer in
            // A task with a task executor returns to it automatically, unless another actor's executor was in between.
            guard loop.isCurrent else {
                return loop.submit { [self] in write(piece, exchange, producer) }
            }
            write(piece, exchange, producer)
        }
    }

    private func write(_ piece: [UInt8], _ exchange: Int, _ producer: UnsafeContinuation<Bool, Never>) {
        guard phase == .streaming, self.exchange == exchange else { return producer.resume(returning: false) }
        streamed?.append(piece, to: &output)
        deadline = loop.now &+ loop.configuration.idleTimeout
        streamed?.producer = producer
        _ = writeChunk()
    }

    /// Writes the rest of a piece, and resumes the producer when everything is written.
    ///
    /// It returns false, since nothing else can continue.
    private func writeChunk() -> Bool {
        guard flushOutput(), phase == .streaming else { return false }
        // Until the source produces more, the server causes the delay, not the client.
        deadline = .max
        streamed?.producer.take()?.resume(returning: true)
        return false
    }

    /// Ends the response if its content is complete, and aborts the connection otherwise.
    private func endStream(_ exchange: Int, isComplete: Bool) {
        guard loop.isCurrent else {
            return loop.submit { [self] in endStream(exchange, isComplete: isComplete) }
        }
        loop.runningTasks -= 1
        releaseMemory()
        guard phase == .streaming, self.exchange == exchange else { return }
        task = nil
        arriving.take()?.content.finish(.failure(HTTPError.cancelled))
        guard isComplete else { return close() }
        streamed?.appendEnd(to: &output)
        streamed = nil
        phase = .writing
        deadline = loop.now &+ loop.configuration.idleTimeout
        advance()
    }
}

extension Outcome {
    /// The response; an error becomes a problem, which describes a client's error and hides any other one.
    consuming func disclosed() -> HTTPResponse {
        guard let error else { return response }
        return (error as? ServerError).map { .problem($0) } ?? .problem(status: .internalServerError)
    }
}
