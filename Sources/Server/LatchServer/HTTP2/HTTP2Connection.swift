// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// One HTTP/2 connection (RFC 9113): reads frames, lets the handler respond to each stream, and writes frames.
///
/// It replaces the `Connection` that accepted the socket when the client turns out to speak HTTP/2. `HTTP2Session`
/// parses and serializes frames. The rules and costs of requests are decided here, as for HTTP/1.1. Handlers are called
/// after all bytes of a read are parsed, never from within the session. Like `Connection` it belongs to the thread of
/// its loop.
final class HTTP2Connection: ServedConnection, @unchecked Sendable {
    /// The state of a connection.
    enum Phase {
        /// Streams are served.
        case open
        /// GOAWAY is sent; the client has time to read it before the socket closes.
        case lingering
        /// The descriptor is closed.
        case closed
    }

    let loop: EventLoop
    let token: UInt64
    /// The other end, which the connection limiter counts until `close()`.
    private let peer: PeerAddress
    let budget: MemoryBudget
    /// The context of every request of this connection, without the values of one stream.
    let context: HTTPContext
    private var socket: ByteStream
    /// The frames; nil before the initializer has ended and after the connection is closed.
    private(set) var session: HTTP2Session?
    private(set) var phase = Phase.open
    /// The time at which an idle, a silent or a lingering connection ends, on the loop's clock.
    var deadline: UInt64
    /// The time until which a connection with streams may be silent in both directions.
    ///
    /// Then the server sends a PING, and the client has until the next such time to respond.
    private var silenceDeadline = UInt64.max
    /// Whether a PING was sent and the client has sent nothing since.
    private var isProbed = false
    /// The number of unacknowledged PINGs.
    private var openProbes = 0
    /// The time by which the client must have taken the written bytes; `.max` if there are none.
    private var writeDeadline = UInt64.max
    private var isReadable: Bool
    private var isWritable = true
    /// Whether the client has ended its side.
    private var hasPeerEnded = false
    @exclusivity(unchecked) private var output = OutputBuffer()
    /// Whether `advance()` is on the call stack, or will be called in this turn.
    private var isAdvancing = false
    private var isScheduled = false

    // Exclusivity is not checked where each line or frame would cost a check, as in `EventLoop`.
    /// The streams that are open, or whose response is being sent.
    @exclusivity(unchecked) var streams = HTTP2Streams()
    /// The highest stream number that the client has used.
    var highestStream: Int32 = 0
    /// The numbers of the streams that the server has recently reset or refused.
    var resetStreams: [Int32] = []
    /// The streams whose handlers are to be called.
    @exclusivity(unchecked) var ready: [HTTP2Stream] = []
    /// The streams with a streamed response whose piece is in frames.
    var drained: [HTTP2Stream] = []
    /// The header section in progress; no other frame may interrupt it (RFC 9113 §4.3).
    @exclusivity(unchecked) var arriving: (stream: HTTP2Stream?, head: HTTP2HeadBuilder, isRequest: Bool)?
    /// The time by which the header section in progress must be complete; `.max` without one.
    var headDeadline = UInt64.max
    /// Whether the last frame of a header section has begun to arrive.
    var headEnds = false
    /// The number of CONTINUATION frames of the header section in progress.
    var continuations = 0
    /// The DATA frames in the client's bytes.
    @exclusivity(unchecked) private var dataFrames = HTTP2DataFrames()
    /// Whether the DATA frame in progress has delivered no content yet.
    var isDataEmpty = false
    /// The number of running handlers, including those of streams that were reset.
    var runningHandlers = 0
    let limits: HTTP2Limits
    var resets: TokenBucket
    @exclusivity(unchecked) var controlFrames: TokenBucket

    /// Whether the client's bytes can no longer be parsed; later bytes are dropped until GOAWAY is sent.
    private var hasFailed = false
    /// Whether the client's SETTINGS have arrived, which end its preface (RFC 9113 §3.4).
    var hasBegun = false
    /// Whether the server is shutting down.
    private(set) var isDraining = false
    /// Whether the GOAWAY with the number of the last processed stream was queued.
    private(set) var refusesStreams = false

    /// A connection on a socket from which only the bytes for `HTTP2Connection.adopt(_:)` were read.
    ///
    /// It is nil if the platform does not support HTTP/2.
    init?(_ socket: ByteStream, _ connection: Connection, isReadable: Bool) {
        (loop, token, peer, budget) = (connection.loop, connection.token, connection.peer, connection.budget)
        (self.socket, self.isReadable, deadline) = (socket, isReadable, connection.deadline)
        let configuration = connection.loop.configuration
        limits = HTTP2Limits(streams: configuration.maximumStreams, headerBytes: configuration.headLimits.bytes)
        resets = limits.resetBucket(now: connection.loop.now)
        controlFrames = HTTP2Limits.controlFrames(now: connection.loop.now)
        var context = HTTPContext()
        context[RemoteAddress.self] = connection.peer.text
        context[ProtocolVersion.self] = "HTTP/2"
        socket.noteCertificate(in: &context)
        self.context = context
        guard let session = HTTP2Session(limits, of: self) else { return nil }
        self.session = session
        output.bytes = session.opening
    }

    /// Takes the bytes that were read before the protocol was known, and continues.
    func adopt(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer(parse)
        // The requests get responses before the next read, which may find the end of the client.
        callHandlers()
        flush()
        advance()
    }

    func handle(_ change: SocketChange) {
        if change.includes(.writable) { isWritable = true }
        // A read may have stopped at a full socket, because it writes the response to a KeyUpdate (RFC 8446 §4.6.3).
        if change.includes(.readable) || socket.isEncrypted { isReadable = true }
        if change.includes(.ended) { (isReadable, hasPeerEnded) = (true, true) }
        if change.includes(.broken) { return close() }
        advance()
    }

    func advance() {
        isScheduled = false
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        for _ in 0..<8 {
            let wasFull = isFull
            let hasRead = read()
            callHandlers()
            flush()
            guard phase == .open || phase == .lingering && hasRead else { return }
            endIfDone()
            guard hasRead || wasFull && !isFull else { return }
        }
        loop.resumeLater(self)
    }

    /// Sends the frames that a task has queued, once for all frames in this turn of the loop.
    func advanceLater() {
        guard !isAdvancing, !isScheduled, phase == .open else { return }
        isScheduled = true
        loop.resumeLater(self)
    }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        abandonStreams()
        session?.free()
        session = nil
        loop.remove(token, descriptor: socket.descriptor)
        socket.close()
        loop.configuration.limiter.release(peer)
    }

    /// Ends the connection with a GOAWAY, which is sent as far as the client reads it.
    func end(_ error: HTTP2Error) { session?.end(error) }
}

// MARK: - Bytes

extension HTTP2Connection {
    /// The output in bytes from which no further frames are serialized or read.
    ///
    /// If a client does not read its responses, the server does not read its requests.
    private static let outputLimit = 64 << 10

    private var isFull: Bool { output.bytes.count >= Self.outputLimit }

    /// Reads once and parses; false if there is nothing, or the output is full.
    private func read() -> Bool {
        guard isReadable, phase != .closed, !isFull else { return false }
        let scratch = loop.scratch
        switch socket.read(into: scratch) {
        case .transferred(let count):
            isProbed = false
            noteActivity()
            if count < scratch.count, !socket.isEncrypted, !hasPeerEnded { isReadable = false }
            if phase == .open { parse(UnsafeBufferPointer(rebasing: scratch[..<count])) }
            return true
        case .wouldBlock: isReadable = false
        case .ended: close()
        }
        return false
    }

    private func parse(_ bytes: UnsafeBufferPointer<UInt8>) {
        var parsed = 0
        while !hasFailed, let frame = dataFrames.next(in: bytes) {
            // Earlier bytes may change the streams.
            parsePart(bytes[parsed..<frame.start])
            dataBegins(frame)
            parsed = frame.start
        }
        parsePart(bytes[parsed...])
    }

    private func parsePart(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        guard !hasFailed, !bytes.isEmpty, let session else { return }
        guard let error = session.receive(UnsafeBufferPointer(rebasing: bytes)) else { return }
        hasFailed = true
        session.end(error)
    }

    /// Serializes frames and writes them, until there are none or the socket is full.
    private func flush() {
        while phase == .open, let session {
            while !isFull, let frame = session.nextOutput() {
                output.borrow(&loop.spareOutput)
                output.bytes.append(contentsOf: frame)
            }
            resumeProducers()
            guard !output.isEmpty else { break }
            if writeDeadline == .max { writeDeadline = loop.now &+ loop.configuration.idleTimeout }
            guard isWritable else { return }
            switch output.write(to: socket) {
            case .transferred(let count):
                noteActivity()
                writeDeadline = loop.configuration.minimumSendRate.deadline(
                    writeDeadline, after: count, now: loop.now)
                guard output.isEmpty else { continue }
                output.removeAll(leaving: &loop.spareOutput)
                writeDeadline = .max
            case .wouldBlock: isWritable = false
            case .ended: close()
            }
        }
    }

    private func resumeProducers() {
        guard !drained.isEmpty else { return }
        let streams = drained
        drained = []
        for stream in streams { stream.producer.take()?.resume(returning: true) }
    }

    /// Ends the writing side when the session has sent its last frame; closing immediately could lose it.
    private func endIfDone() {
        if isDraining, streams.isEmpty {
            end(.noError)
            flush()
        }
        guard phase == .open, output.isEmpty, let session, !session.isActive else { return }
        abandonStreams()
        socket.endWriting()
        phase = .lingering
        (deadline, headDeadline, writeDeadline) = (loop.now &+ Self.partingTime, .max, .max)
    }

    private func abandonStreams() {
        for stream in streams.all { release(stream) }
        streams = HTTP2Streams()
        (ready, drained, arriving) = ([], [], nil)
    }
}

// MARK: - Time

extension HTTP2Connection {
    func checkDeadlines() {
        let now = loop.now
        guard phase == .open, writeDeadline > now else {
            if deadline <= now || writeDeadline <= now { close() }
            return
        }
        var isExpired = false
        if headDeadline <= now {
            isExpired = true
            end(.enhanceYourCalm)
        }
        if deadline <= now {
            guard hasBegun else { return close() }
            isExpired = true
            if isDraining { refuseNewStreams() } else { end(.noError) }
            deadline = .max
        }
        for stream in streams.all where stream.deadline <= now {
            isExpired = true
            expire(stream)
        }
        if silenceDeadline <= now, !streams.isEmpty {
            // A client that disappeared leaves its calls, which may have no time limit.
            guard !isProbed else { return close() }
            (isProbed, isExpired) = (true, true)
            openProbes += 1
            session?.ping()
            noteActivity()
        }
        if isExpired { advance() }
    }

    /// Sets the deadline of a connection without streams; only frames that open a stream postpone it.
    func beginIdling() {
        guard streams.isEmpty, hasBegun, !isDraining else { return }
        deadline = loop.now &+ loop.configuration.keepAliveTimeout
    }

    /// Ends an idle connection now; otherwise announces the end and accepts requests in transit (RFC 9113 §6.8).
    func beginDraining() {
        advance()
        guard phase == .open, !isDraining else { return }
        isDraining = true
        if streams.isEmpty {
            end(.noError)
        } else {
            session?.announceEnd()
            // A client that does not acknowledge the announcement has had enough time for a round trip.
            deadline = loop.now &+ 1_000_000_000
        }
        advance()
    }

    /// Postpones the end of a silent connection.
    private func noteActivity() {
        let configuration = loop.configuration
        silenceDeadline = loop.now &+ (isProbed ? configuration.idleTimeout : configuration.keepAliveTimeout)
    }

    /// Records that the client has acknowledged a PING; PINGs are acknowledged in their order.
    func pingIsAcknowledged() {
        guard openProbes == 0 else { return openProbes -= 1 }
        drainIsAcknowledged()
    }

    /// Records that the client has read the announcement of the end.
    private func drainIsAcknowledged() {
        guard isDraining, deadline != .max else { return }
        refuseNewStreams()
        deadline = .max
    }

    private func refuseNewStreams() {
        refusesStreams = true
        session?.refuseNewStreams()
    }
}
