// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// One request and its response on an HTTP/2 connection (RFC 9113 §5.1).
///
/// It belongs to the thread of its connection. It is `@unchecked Sendable` because tasks hold it, and they return to
/// that thread before they access it.
final class HTTP2Stream: @unchecked Sendable {
    /// The state of a stream; each one has another meaning of `deadline`.
    enum Phase {
        /// The head or the content is incomplete.
        case receiving
        /// The handler is about to run, or runs.
        case handling
        /// The response is being sent.
        case responding
        /// The response is sent; the client may still send.
        case responded
        /// The stream is closed.
        case closed
    }

    /// The next output of a stream.
    enum Output {
        /// Nothing, until the source of the content has produced more.
        case wait
        /// This many bytes, and more later.
        case piece(Int)
        /// This many bytes, then the trailers.
        case end(Int, trailers: HTTPFields)
    }

    let id: Int32
    /// The bytes that the request holds: its head, its content, and the data that its handler decodes from it.
    let memory: MemoryReservation
    var phase = Phase.receiving
    /// The time at which the current phase must have ended, on the loop's clock.
    var deadline: UInt64

    /// The head; nil until it is complete, and after the handler has taken it.
    var head: RequestHead?
    /// Whether the request is `HEAD`, whose response has no content (RFC 9110 §9.3.2).
    var isHead = false
    /// The content that was received before the handler began.
    @exclusivity(unchecked) var content: [UInt8] = []
    /// The content that the handler reads while it arrives; nil for content that is collected first.
    var arriving: StreamedContent?
    /// Whether the handler is called before the content is complete.
    var isStreamed = false
    /// The limit for such content in the configuration; nil if there is none.
    var configuredLimit: Int?
    /// The trailers of the request (RFC 9113 §8.1).
    var trailers: HTTPFields = [:]
    /// The maximum size of the content.
    var limit = 0
    /// Whether the handler reports that the limit is exceeded.
    var handlerReportsLimit = false
    /// Whether the client has sent the whole request.
    var isComplete = false
    /// The handler's task, which is canceled when the stream ends; nil when it has completed without suspending.
    var task: Task<Void, Never>?

    /// The content, or the piece of it, that is being sent.
    private var output: [UInt8] = []
    private var outputStart = 0
    /// The fields to send after the output; nil while more content may follow.
    private var end: HTTPFields?
    /// The producer of a streamed response, suspended until its piece is in frames.
    var producer: UnsafeContinuation<Bool, Never>?

    init(_ id: Int32, memory: MemoryReservation, deadline: UInt64) {
        (self.id, self.memory, self.deadline) = (id, memory, deadline)
    }

    /// Whether content waits for the window of the client.
    var hasOutput: Bool { outputStart < output.count || end != nil }

    /// Sets the next output, which replaces sent output.
    func setOutput(_ content: [UInt8], end: HTTPFields?) {
        (output, outputStart, self.end) = (content, 0, end)
    }

    /// Moves output into a frame.
    func takeOutput(into frame: UnsafeMutableRawBufferPointer) -> Output {
        let count = min(frame.count, output.count - outputStart)
        if count > 0 {
            output.withUnsafeBytes {
                frame.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[outputStart..<(outputStart + count)]))
            }
            outputStart += count
        }
        guard outputStart == output.count else { return .piece(count) }
        (output, outputStart) = ([], 0)
        if let end { return .end(count, trailers: end) }
        return count > 0 ? .piece(count) : .wait
    }

    /// Ends everything that waits for this stream.
    func close() {
        phase = .closed
        deadline = .max
        task?.cancel()
        task = nil
        producer.take()?.resume(returning: false)
        // Taken: the content refers to its stream, whose window opens as the handler reads.
        arriving.take()?.finish(.failure(HTTPError.cancelled))
    }
}
