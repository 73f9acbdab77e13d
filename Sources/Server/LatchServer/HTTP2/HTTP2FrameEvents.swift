// SPDX-License-Identifier: Apache-2.0

import LatchCore

// The calls of the session while it parses or serializes frames. Nothing here calls a handler or touches the socket.
extension HTTP2Connection {
    /// Counts a frame that begins to arrive against the limits of floods.
    func frameBegins(_ frame: HTTP2Frame) {
        let cost: Int
        switch frame.kind {
        case .data:
            // Padding does not count as content (RFC 9113 §6.1): the first byte of content pays for the frame.
            isDataEmpty = true
            cost = frame.endsStream ? 0 : 1
        case .headers:
            continuations = 0
            headEnds = frame.endsHeaders
            return check(frame.stream)
        case .priority where frame.stream == 0: return end(.protocolError)
        case .continuation:
            continuations += 1
            headEnds = frame.endsHeaders
            forgetRefusedHead()
            return continuations > HTTP2Limits.continuations ? end(.enhanceYourCalm) : ()
        case .reset: return countReset()
        case .settings where !frame.isAcknowledgement: cost = HTTP2Limits.settingsCost
        case .priority, .settings, .ping, .goAway, .windowUpdate: cost = 1
        // RFC 9113 §5.5: unknown frames are ignored. They change no state, get no reply and postpone no deadline, so a
        // flood of them costs only its bytes.
        case nil: return
        }
        if !controlFrames.spend(cost, now: loop.now) { end(.enhanceYourCalm) }
    }

    /// Counts a DATA frame that the session does not report, and reports it if its stream has ended (RFC 9113 §6.1).
    func dataBegins(_ frame: HTTP2DataFrames.Frame) {
        let id = frame.stream
        guard id > 0, id <= highestStream, streams[id] == nil else { return }
        if resetStreams.contains(id) {
            // The content may have been in transit when the server reset the stream (RFC 9113 §5.1).
            if frame.length == 0 { countControlFrame() }
        } else if resets.spend(now: loop.now) {
            remember(id)
            session?.reset(id, .streamClosed)
        } else {
            end(.enhanceYourCalm)
        }
    }

    /// Ends the connection if a header section is for a stream that has ended or was skipped (RFC 9113 §5.1.1).
    ///
    /// A stream that the server has reset may still get trailers that were in transit.
    private func check(_ id: Int32) {
        if id > highestStream {
            highestStream = id
            // The session does not report it after the last GOAWAY is sent (RFC 9113 §6.8).
            if refusesStreams { remember(id) }
        } else if id > 0, streams[id] == nil {
            if resetStreams.contains(id) { countControlFrame() } else { end(.streamClosed) }
        }
    }

    /// Remembers a stream that the server has reset or refused; at least as many as the server may reset on a
    /// connection.
    private func remember(_ id: Int32) {
        guard !resetStreams.contains(id) else { return }
        if resetStreams.count >= 2 * limits.resets { resetStreams.removeFirst(limits.resets) }
        resetStreams.append(id)
    }

    private func countControlFrame() {
        if !controlFrames.spend(now: loop.now) { end(.enhanceYourCalm) }
    }

    private func countReset() {
        if !resets.spend(now: loop.now) { end(.enhanceYourCalm) }
    }

    /// Records that a header section begins.
    func headersBegin(on id: Int32, isRequest: Bool) {
        headDeadline = loop.now &+ loop.configuration.headDeadline
        let builder = HTTP2HeadBuilder(limits: loop.configuration.headLimits)
        guard isRequest else {
            arriving = (streams[id], builder, false)
            return
        }
        controlFrames.earn(HTTP2Limits.framesForRequest)
        // RFC 9113 §5.1.2. A stream that was reset no longer counts for the protocol, but its handler may still run.
        // After GOAWAY was queued, the client relies on it that no stream above its number is processed (§6.8).
        guard !refusesStreams, max(streams.count, runningHandlers) < limits.streams else {
            session?.reset(id, .refusedStream)
            // Its trailers may be in the same read.
            remember(id)
            countReset()
            arriving = (nil, builder, true)
            return forgetRefusedHead()
        }
        // Only one request at a time gets the guaranteed memory; otherwise one connection would hold it many times.
        let memory = MemoryReservation(budget, isGuaranteed: streams.isEmpty)
        let stream = HTTP2Stream(id, memory: memory, deadline: headDeadline)
        streams.append(stream)
        deadline = isDraining ? deadline : .max
        arriving = (stream, builder, true)
    }

    /// Ends the wait for the head of a refused request with its last frame; the session does not report that end.
    private func forgetRefusedHead() {
        guard let arriving, arriving.stream == nil, arriving.isRequest, headEnds else { return }
        headDeadline = .max
    }

    /// Takes one line of the header section; returns false if the section is too large to continue.
    func receive(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        arriving?.head.append(name, value, cache: &loop.fieldCache) ?? true
    }

    /// Records a line that no request may have (RFC 9113 §8.2.1).
    func receiveMalformedField() {
        guard let stream = arriving?.stream, stream.phase != .closed else { return }
        // The rest ends when the reset is sent: `release(_:)` has to check whether a handler runs.
        stream.phase = .closed
        session?.reset(stream.id, .protocolError)
    }

    /// Takes a frame that is complete and valid at its position.
    func receive(_ frame: HTTP2Frame) {
        switch frame.kind {
        case .headers: headersEnd(isLast: frame.endsStream)
        case .data where frame.endsStream: streams[frame.stream].map(contentEnds)
        case .settings where !hasBegun:
            hasBegun = true
            if streams.isEmpty { beginIdling() }
        case .ping where frame.isAcknowledgement: pingIsAcknowledged()
        default: break
        }
    }

    private func headersEnd(isLast: Bool) {
        headDeadline = .max
        guard let (stream, builder, isRequest) = arriving.take(), let stream, stream.phase != .closed else { return }
        guard isRequest else { return trailersEnd(builder, of: stream) }
        do throws(Rejection) {
            stream.isComplete = isLast
            stream.head = try builder.head(hasContent: !isLast)
            stream.isHead = stream.head?.method == .head
            guard stream.memory.reserve(builder.size) else { throw .contentMemoryExhausted }
            try begin(stream)
        } catch {
            reject(stream, error)
        }
    }

    /// Takes the trailers of a request that may still be read, and charges them like its content.
    private func trailersEnd(_ builder: HTTP2HeadBuilder, of stream: HTTP2Stream) {
        guard builder.rejection == nil else {
            session?.reset(stream.id, .protocolError)
            return
        }
        if stream.phase == .receiving || stream.isStreamed {
            guard stream.memory.reserve(builder.size) else {
                session?.reset(stream.id, .enhanceYourCalm)
                return
            }
            stream.trailers = builder.fields
        }
        contentEnds(stream)
    }

    /// Takes content of a request, and opens the windows for more of it.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>, on id: Int32) {
        guard let session else { return }
        if isDataEmpty, !bytes.isEmpty {
            isDataEmpty = false
            controlFrames.earn(1)
        }
        guard let stream = streams[id] else { return session.consumeConnection(bytes.count) }
        switch stream.phase {
        case .receiving:
            session.consume(id, bytes.count)
            collect(bytes, stream)
        case .handling where stream.isStreamed, .responding where stream.isStreamed:
            // The window of the stream opens as the handler reads; all streams share the window of the connection.
            session.consumeConnection(bytes.count)
            guard stream.memory.reserve(bytes.count) else { return session.reset(id, .enhanceYourCalm) }
            if let arriving = stream.arriving {
                arriving.append(bytes)
            } else {
                stream.content.append(contentsOf: bytes)
            }
        case .handling, .responding: session.consume(id, bytes.count)
        // After its response, the rest of a request is discarded until its deadline, within the stream's window.
        case .responded, .closed: session.consumeConnection(bytes.count)
        }
    }

    private func collect(_ bytes: UnsafeBufferPointer<UInt8>, _ stream: HTTP2Stream) {
        guard stream.content.count + bytes.count <= stream.limit else { return fail(stream, .tooLarge) }
        guard stream.memory.reserve(bytes.count) else { return reject(stream, .contentMemoryExhausted) }
        stream.content.append(contentsOf: bytes)
    }

    private func contentEnds(_ stream: HTTP2Stream) {
        stream.isComplete = true
        if let arriving = stream.arriving { return arriving.finish(.success(stream.trailers)) }
        guard stream.phase == .receiving else { return }
        enqueue(stream)
    }

    /// Moves content of a response into a frame, which extends the time for the rest of it.
    func takeOutput(of stream: HTTP2Stream, into frame: UnsafeMutableRawBufferPointer) -> HTTP2Stream.Output {
        let output = stream.takeOutput(into: frame)
        guard case .piece(let count) = output else { return output }
        stream.deadline = loop.configuration.minimumSendRate.deadline(
            stream.deadline, after: count, now: loop.now)
        if !stream.hasOutput {
            // Until the source produces more, the server causes the delay, not the client.
            stream.deadline = .max
            if stream.producer != nil { drained.append(stream) }
        }
        return output
    }

    /// Records a sent frame.
    func sent(_ frame: HTTP2Frame, error: UInt32?) {
        if frame.kind == .data { controlFrames.earn(HTTP2Limits.framesForData) }
        if let error {
            remember(frame.stream)
            // A reset that the client has caused costs as much as a reset by the client. Resets of refused and of
            // closed streams are counted where they are queued.
            switch HTTP2Error(rawValue: error) {
            case .noError, .cancel, .refusedStream, .internalError, .streamClosed: break
            default: countReset()
            }
        }
        guard frame.endsStream, let stream = streams[frame.stream] else { return }
        stream.phase = .responded
        stream.memory.releaseAll()
        // RFC 9113 §8.1: the client gets time to read the response before the rest of its request is rejected.
        stream.deadline = loop.now &+ Self.partingTime
    }

    /// Resets a stream whose head or trailers are not sent because they exceed the library's limit of 64 KiB.
    func headersAreNotSent(on id: Int32) {
        guard let stream = streams[id], stream.phase == .responding else { return }
        session?.reset(id, .internalError)
    }

    /// Removes a stream that has ended on both sides, or that either side has reset.
    func streamCloses(_ id: Int32) {
        guard let stream = streams.remove(id) else { return }
        release(stream)
        if arriving?.stream === stream { (arriving, headDeadline) = (nil, .max) }
        beginIdling()
    }
}
