// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchHTTP

/// An answer whose content comes from a source while it is written.
struct StreamedContent {
    /// Whether it travels in chunks (RFC 9112 §7.1); else it ends after its length, or with the connection.
    let isChunked: Bool
    /// What is asked at the end for the fields that follow (RFC 9112 §7.1.2).
    let trailers: @Sendable () -> HTTPFields
    /// Whether a chunk was written, after whose bytes a line end is due.
    var hasChunk = false
    /// Who waits until the socket has taken what was given; resumed with whether more is wanted.
    var waiter: UnsafeContinuation<Bool, Never>?
}

extension Connection {
    /// Writes the content of a stream behind the head, which is in the output already.
    ///
    /// One piece is held at a time, and the next is asked for when the socket has taken it: a slow client slows the
    /// source, and costs no more memory than a quick one.
    func begin(_ stream: HTTPBodyStream, isChunked: Bool) {
        phase = .streaming
        streamed = StreamedContent(isChunked: isChunked, trailers: { stream.trailers })
        let exchange = exchange
        loop.runningTasks += 1
        let task = Task.immediate(executorPreference: loop) { [self] in
            let isWhole = await pour(stream, exchange)
            end(exchange, isWhole: isWhole)
        }
        guard phase == .streaming, self.exchange == exchange else { return }
        self.task = task
        if hasPeerEnded { cancelIfAbandoned() }
    }

    /// Writes piece by piece; whether all of it, and as much as was announced, has come.
    private func pour(_ stream: HTTPBodyStream, _ exchange: Int) async -> Bool {
        var left = stream.length
        var count = 0
        do {
            for try await piece in stream {
                count += piece.count
                // A quick source and a quick client would keep the loop from everybody else.
                if count > 1 << 18 {
                    count = 0
                    await Task.yield()
                }
                if let rest = left {
                    guard piece.count <= rest else { return false }
                    left = rest - piece.count
                }
                guard await put(piece, exchange) else { return false }
            }
        } catch {
            return false
        }
        // A source that is cancelled may end as if that were all.
        return (left ?? 0) == 0 && !Task.isCancelled
    }

    /// Gives a piece to the socket, and waits until it is taken; false when nobody wants more.
    private func put(_ piece: [UInt8], _ exchange: Int) async -> Bool {
        await withUnsafeContinuation { waiter in
            // With a task executor a task comes back to it by itself; another actor's executor could be in between.
            guard loop.isCurrent else {
                return loop.submit { [self] in write(piece, exchange, waiter) }
            }
            write(piece, exchange, waiter)
        }
    }

    private func write(_ piece: [UInt8], _ exchange: Int, _ waiter: UnsafeContinuation<Bool, Never>) {
        guard phase == .streaming, self.exchange == exchange else { return waiter.resume(returning: false) }
        if streamed?.isChunked == true {
            let end = streamed?.hasChunk == true ? "\r\n" : ""
            output.append(contentsOf: "\(end)\(String(piece.count, radix: 16))\r\n".utf8)
            streamed?.hasChunk = true
        }
        (content, contentStart) = (piece, 0)
        deadline = loop.now &+ loop.terms.idleTimeout
        streamed?.waiter = waiter
        _ = writeStream()
    }

    /// Writes what is left of a piece, and asks for the next when all is written; false, since nothing else can go on.
    func writeStream() -> Bool {
        guard flushOutput(), phase == .streaming else { return false }
        // Until the source gives more, the time is ours and not the client's.
        deadline = .max
        streamed?.waiter.take()?.resume(returning: true)
        return false
    }

    /// The source has ended: so does the answer where it is whole, and the connection where it is not.
    private func end(_ exchange: Int, isWhole: Bool) {
        guard loop.isCurrent else {
            return loop.submit { [self] in end(exchange, isWhole: isWhole) }
        }
        loop.runningTasks -= 1
        guard phase == .streaming, self.exchange == exchange else { return }
        task = nil
        guard isWhole else { return abort() }
        if let streamed, streamed.isChunked {
            let trailers = ResponseWriter.trailerSection(streamed.trailers())
            output.append(contentsOf: "\(streamed.hasChunk ? "\r\n" : "")0\r\n\(trailers)\r\n".utf8)
        }
        streamed = nil
        phase = .writing
        deadline = loop.now &+ loop.terms.idleTimeout
        advance()
    }

    /// Ends the connection so that the client cannot take what it has for the whole (RFC 9112 §8).
    private func abort() {
        stream.resetsAtClose()
        close()
    }
}

#endif
