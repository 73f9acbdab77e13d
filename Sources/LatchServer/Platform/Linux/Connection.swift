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
    enum Phase {
        /// The head of a request is awaited or incomplete.
        case head
        /// The content is incomplete.
        case content
        /// The handler is at work.
        case answering
        /// The answer is being written.
        case writing
        /// The answer was the last one; the client is given time to read it before the socket closes.
        case lingering
        case closed
    }

    let loop: EventLoop
    let peer: PeerAddress
    let context: HTTPContext
    var stream: ByteStream
    var token: UInt64 = 0
    var phase = Phase.head
    /// When the connection is over its time, on the loop's clock.
    var deadline: UInt64

    // Reading
    var input: [UInt8] = []
    var inputStart = 0
    var isReadable = false
    var hasPeerEnded = false
    var scanner = HeadScanner()
    var hasHeadBegun = false
    var hasSkippedEmptyLine = false
    var head: RequestHead?
    var decoder: ContentDecoder?

    // Answering
    var task: Task<Void, Never>?
    var exchange = 0
    var isDraining = false

    // Writing
    var output: [UInt8] = []
    var outputStart = 0
    var content: [UInt8] = []
    var contentStart = 0
    var isWritable = true
    var closesAfterwards = false
    private var isAdvancing = false

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
        if hasPeerEnded, phase == .answering { cancelIfAbandoned() }
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
        stream.close()
        loop.connections.remove(token)
        loop.terms.census.leaves(peer)
    }

    /// The deadline has passed.
    func expire() {
        switch phase {
        case .head where hasHeadBegun, .content:
            refuse(.tooSlow)
            advance()
        case .head, .writing, .lingering, .closed: close()
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
