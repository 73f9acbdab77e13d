// SPDX-License-Identifier: Apache-2.0

import LatchCore

// MARK: - Requests

extension HTTP2Connection {
    /// Decides when the handler is called: immediately without content, with the head, or with the complete content.
    func begin(_ stream: HTTP2Stream) throws(Rejection) {
        guard !stream.isComplete, let head = stream.head else { return enqueue(stream) }
        let configuration = loop.configuration
        switch configuration.reception(head.method, head.path, overHTTP2: true) {
        case .streamed(let limit):
            guard reserveWaiting(stream) else { throw .contentMemoryExhausted }
            (stream.isStreamed, stream.configuredLimit) = (true, limit)
            if head.expectsContinue { session?.inform(HTTP2FieldBlock(interim: 100), on: stream) }
            return enqueue(stream)
        case .collected(let limit, let isReported): (stream.limit, stream.handlerReportsLimit) = (limit, isReported)
        }
        if case .length(let length) = head.framing, length > stream.limit { return fail(stream, .tooLarge) }
        stream.deadline = loop.now &+ configuration.bodyDeadline
        if head.expectsContinue { session?.inform(HTTP2FieldBlock(interim: 100), on: stream) }
    }

    /// Charges a stream that may wait for its client or its source; false if all requests together hold too much.
    private func reserveWaiting(_ stream: HTTP2Stream) -> Bool {
        // A login must not be rejected: the number of connections limits the memory of single streams (decision 0054).
        streams.count == 1 || stream.memory.reserve(HTTP2Limits.waitingStreamBytes)
    }

    func enqueue(_ stream: HTTP2Stream) {
        stream.phase = .handling
        stream.deadline = .max
        ready.append(stream)
    }

    /// The reason why the content of a request cannot be received.
    enum ContentFailure {
        case tooLarge, tooSlow
    }

    /// Responds that the content is not received, or lets the handler report it in its protocol.
    func fail(_ stream: HTTP2Stream, _ failure: ContentFailure) {
        guard stream.head != nil, stream.handlerReportsLimit else {
            return reject(stream, failure == .tooLarge ? .contentTooLarge : .requestTimeout)
        }
        stream.content = []
        stream.arriving = StreamedContent(taken: { _ in })
        stream.arriving?.finish(.failure(failure == .tooLarge ? HTTPError.tooLarge : HTTPError.timeout))
        enqueue(stream)
    }

    /// Responds to a rejected request.
    func reject(_ stream: HTTP2Stream, _ rejection: Rejection) {
        (stream.content, stream.trailers) = ([], [:])
        stream.memory.releaseAll()
        respond(.problem(status: rejection.status, code: nil, detail: rejection.reason), to: stream)
    }

    /// Calls the handlers of the streams that are ready.
    func callHandlers() {
        while !ready.isEmpty {
            let streams = ready
            ready = []
            for stream in streams where stream.phase == .handling { handle(stream) }
        }
    }

    /// Calls the handler, on this thread until it suspends.
    private func handle(_ stream: HTTP2Stream) {
        guard let head = stream.head.take() else { return }
        var context = context
        context.memory = stream.memory
        if let limit = stream.configuredLimit { context[ConfiguredContentLimit.self] = limit }
        let length: Int? = if case .length(let length) = head.framing { length } else { nil }
        let content = content(of: stream, length: length)
        var request = head.request(loop.configuration.address.scheme, body: content, context)
        loop.runningTasks += 1
        runningHandlers += 1
        let pending: @Sendable () async -> Outcome
        switch loop.configuration.handler.begin(&request) {
        case .ready(let outcome): return complete(stream, outcome.disclosed())
        case .pending(let outcome): pending = outcome
        }
        let task = loop.startTask { [self] in complete(stream, await pending().disclosed()) }
        // The response may already be there.
        if stream.phase == .handling { stream.task = task }
    }

    private func content(of stream: HTTP2Stream, length: Int?) -> HTTPBody {
        if let refused = stream.arriving { return refused.body }
        let (content, trailers) = (stream.content, stream.trailers)
        // The response may take longer than the handler, and their memory is released with the handler.
        (stream.content, stream.trailers) = ([], [:])
        guard stream.isStreamed, !stream.isComplete else { return HTTPBody(content, trailers: trailers) }
        let arriving = StreamedContent(length: length, taken: { [self] count in taken(count, from: stream) })
        content.withUnsafeBufferPointer(arriving.append)
        stream.arriving = arriving
        return arriving.body
    }

    /// Opens the window of a stream by the number of bytes that its handler has read.
    private func taken(_ count: Int, from stream: HTTP2Stream) {
        guard loop.isCurrent else { return loop.submit { [self] in taken(count, from: stream) } }
        guard stream.phase == .handling || stream.phase == .responding else { return }
        stream.memory.release(count)
        session?.consumeStream(stream.id, count)
        advanceLater()
    }

    /// Sends the handler's response, unless the stream was closed in the meantime.
    ///
    /// May be called on any thread.
    private func complete(_ stream: HTTP2Stream, _ response: HTTPResponse) {
        // A task with a task executor returns to it automatically, unless another actor's executor was in between.
        guard loop.isCurrent else { return loop.submit { [self] in complete(stream, response) } }
        loop.runningTasks -= 1
        runningHandlers -= 1
        guard stream.phase == .handling else { return stream.memory.releaseAll() }
        stream.task = nil
        // An expression with both would copy the response.
        if (200...999).contains(response.status.rawValue) {
            respond(response, to: stream)
        } else {
            respond(.problem(status: .internalServerError), to: stream)
        }
        advanceLater()
    }

    /// Ends everything that waits for a stream; a running handler keeps its request and the request's memory.
    func release(_ stream: HTTP2Stream) {
        if stream.task == nil { stream.memory.releaseAll() }
        stream.close()
    }

    /// Ends the phase of a stream whose deadline has passed.
    func expire(_ stream: HTTP2Stream) {
        switch stream.phase {
        case .receiving where stream.head != nil: fail(stream, .tooSlow)
        case .receiving, .responding: session?.reset(stream.id, .cancel)
        case .responded: session?.reset(stream.id, .noError)
        case .handling, .closed: break
        }
    }
}

// MARK: - Responses

extension HTTP2Connection {
    /// Queues a response.
    func respond(_ response: HTTPResponse, to stream: HTTP2Stream) {
        let waits = response.body.stream != nil && !stream.isHead && !stream.isStreamed
        guard !waits || reserveWaiting(stream) else { return reject(stream, .contentMemoryExhausted) }
        let trailers = response.body.stream == nil ? response.body.trailers : [:]
        let writer = ResponseWriter(
            date: loop.dateClock.text(), isHead: stream.isHead, closes: false,
            isChunked: response.body.length == nil || !trailers.isEmpty)
        do throws(HTTPError) {
            try loop.fieldBlock.set(response, length: writer.length(of: response), date: writer.date)
        } catch {
            return respond(.problem(status: .internalServerError), to: stream)
        }
        stream.phase = .responding
        stream.deadline = loop.now &+ loop.configuration.idleTimeout
        let hasContent = writer.hasContent(response) && !(response.body.isEmpty && trailers.isEmpty)
        if hasContent, response.body.stream == nil { stream.setOutput(response.body.bytes, end: trailers) }
        session?.respond(loop.fieldBlock, to: stream, hasContent: hasContent)
        if hasContent, let content = response.body.stream { send(content, on: stream) }
    }

    /// Sends the content of a stream piece by piece; the next piece is requested when the last one is in frames.
    private func send(_ content: HTTPBodyStream, on stream: HTTP2Stream) {
        stream.deadline = .max
        loop.runningTasks += 1
        runningHandlers += 1
        let task = loop.startTask { [self] in
            let isComplete = await content.forEachPiece { piece in await send(piece, on: stream) }
            end(stream, isComplete ? content.trailers : nil)
        }
        if stream.phase == .responding { stream.task = task }
    }

    /// Passes a piece to the session and waits until it is in frames; returns false if no more is wanted.
    private func send(_ piece: [UInt8], on stream: HTTP2Stream) async -> Bool {
        await withUnsafeContinuation { producer in
            guard loop.isCurrent else { return loop.submit { [self] in write(piece, stream, producer) } }
            write(piece, stream, producer)
        }
    }

    private func write(_ piece: [UInt8], _ stream: HTTP2Stream, _ producer: UnsafeContinuation<Bool, Never>) {
        guard stream.phase == .responding else { return producer.resume(returning: false) }
        stream.setOutput(piece, end: nil)
        stream.producer = producer
        stream.deadline = loop.now &+ loop.configuration.idleTimeout
        session?.resume(stream)
        advanceLater()
    }

    /// Ends the response with trailers if its content is complete, and resets the stream otherwise.
    private func end(_ stream: HTTP2Stream, _ trailers: HTTPFields?) {
        guard loop.isCurrent else { return loop.submit { [self] in end(stream, trailers) } }
        loop.runningTasks -= 1
        runningHandlers -= 1
        guard stream.phase == .responding else { return stream.memory.releaseAll() }
        stream.task = nil
        if let trailers {
            stream.setOutput([], end: trailers)
            stream.deadline = loop.now &+ loop.configuration.idleTimeout
            session?.resume(stream)
        } else {
            // RFC 9113 §8.1: the client must be able to detect that the message is incomplete.
            session?.reset(stream.id, .cancel)
        }
        advanceLater()
    }
}
