// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CEpoll
import Glibc
import LatchHTTP

/// One connection: reads a request, has it answered, writes the answer, and begins again.
///
/// Its requests are answered one after the other, and the next is not read before the last is answered, so a client
/// that pipelines gets its answers in order. It belongs to the loop's thread (`@unchecked Sendable` because tasks
/// hold it, which come back to that thread before they touch it).
final class Connection: @unchecked Sendable {
    /// What the connection waits for; each phase has one owner of `deadline` and one reason to go on.
    enum Phase {
        /// The head of a request is awaited or incomplete.
        case head
        /// The content is incomplete.
        case content
        /// The handler is at work.
        case answering
        /// The answer is being written.
        case writing
        /// The answer is being written while its source gives it.
        case streaming
        /// The answer was the last one; the client is given time to read it before the socket closes.
        case lingering
        /// The descriptor is given back; nothing may touch the stream any more.
        case closed
    }

    /// The only thread that touches anything here.
    let loop: EventLoop
    /// Counted in the census from the accept to `close()`.
    let peer: PeerAddress
    /// What every request of this connection carries, made once.
    let context: HTTPContext
    /// The socket.
    ///
    /// Not to be used once the phase is `closed`: its number may belong to another connection.
    var stream: ByteStream
    /// By which epoll and the table know the connection; no other one ever has it, so late events find nobody.
    var token: UInt64 = 0
    /// See `Phase`; changed by the loop's thread alone.
    var phase = Phase.head
    /// When the connection is over its time, on the loop's clock.
    var deadline: UInt64

    // Reading
    /// What was read and not yet taken; at most one read beyond a whole head, since nothing is read while a handler is
    /// at work.
    ///
    /// That is the bound on what a pipelining client makes us hold.
    var input: [UInt8] = []
    /// How much of the input is taken; moved instead of the bytes.
    var inputStart = 0
    /// Whether a read may give something; edge-triggered events set it, an empty socket clears it.
    var isReadable = false
    /// Whether the client has ended its side; it may still read.
    var hasPeerEnded = false
    /// How far the head at `inputStart` was scanned.
    var scanner = HeadScanner()
    /// Whether a byte of the next head is here, from which on a silent end is no longer a polite one.
    var hasHeadBegun = false
    /// Whether the one empty line in front of this head is behind us, so that there cannot be a second.
    var hasSkippedEmptyLine = false
    /// The head whose content is awaited.
    var head: RequestHead?
    /// The content so far; nil but in the phase `content`.
    var decoder: ContentDecoder?
    /// How many bytes of content this connection counts for in the loop's sum.
    private var heldContent = 0

    // Answering
    /// The handler's task, to be cancelled when the client leaves; nil where it has answered without waiting.
    var task: Task<Void, Never>?
    /// Counts the requests, so that an answer is given to the one that it belongs to.
    var exchange = 0
    /// Whether the server stops, so that the next answer is the last.
    var isDraining = false

    // Writing
    /// Heads, and contents that are small enough to be copied behind them.
    var output: [UInt8] = []
    /// How much of the output is written.
    var outputStart = 0
    /// A long content, written behind the output without being copied.
    var content: [UInt8] = []
    /// How much of the content is written.
    var contentStart = 0
    /// An answer whose content comes from a source; nil but in the phase `streaming`.
    var streamed: StreamedContent?
    /// Whether the client reads chunks; HTTP/1.0 does not.
    var takesChunks = true
    /// Whether the socket may take more; a full one clears it, an event sets it.
    var isWritable = true
    /// Whether the answer in the making is the last, by the client's wish, the handler's or ours.
    var closesAfterwards = false
    /// Whether `advance()` is on the stack: a handler that answers at once would otherwise call it from inside.
    private var isAdvancing = false

    /// An accepted connection; its first head is due `headDeadline` from now, the TLS handshake included.
    init(_ stream: ByteStream, _ peer: PeerAddress, loop: EventLoop) {
        self.stream = stream
        self.peer = peer
        self.loop = loop
        var context = HTTPContext()
        context[RemoteAddress.self] = peer.text
        self.context = context
        deadline = loop.now &+ loop.terms.headDeadline
    }

    /// Takes note of what happened on the socket, and goes on.
    func handle(_ events: UInt32) {
        if events & EPOLLOUT.rawValue != 0 { isWritable = true }
        let endings = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        if events & (EPOLLIN.rawValue | endings) != 0 { isReadable = true }
        if events & endings != 0 { hasPeerEnded = true }
        if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { return close() }
        if hasPeerEnded, phase == .answering || phase == .streaming { cancelIfAbandoned() }
        advance()
    }

    /// Goes on as far as that is possible without waiting.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        for _ in 0..<64 {
            let goesOn =
                switch phase {
                case .head: readHead()
                case .content: readContent()
                case .writing: writeOutput()
                case .streaming: writeStream()
                case .lingering: discardInput()
                case .answering, .closed: false
                }
            guard goesOn else { return }
        }
        loop.resumeLater(self)
    }

    /// Ends the connection at once, and the task that works for it.
    func close() {
        guard phase != .closed else { return }
        phase = .closed
        task?.cancel()
        task = nil
        streamed?.waiter.take()?.resume(returning: false)
        holdContent(0)
        stream.close()
        loop.connections.remove(token)
        loop.terms.census.leaves(peer)
    }

    /// Counts the content that this connection holds; false when there is no room for it beside the others'.
    @discardableResult
    func holdContent(_ count: Int) -> Bool {
        loop.heldContent += count - heldContent
        heldContent = count
        return count == 0 || loop.heldContent <= loop.terms.maximumContentBytesPerLoop
    }

    /// The deadline has passed.
    func expire() {
        switch phase {
        case .head where hasHeadBegun, .content:
            refuse(.tooSlow)
            advance()
        case .head, .writing, .streaming, .lingering, .closed: close()
        case .answering: break
        }
    }

    /// The server stops: an idle connection ends now, any other after its answer.
    func beginDraining() {
        isDraining = true
        advance()
        if phase == .head, !hasHeadBegun { close() }
    }
}

#endif
