// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import LatchCore
import Synchronization

/// A buffer between a request's stream and libcurl: one chunk waits here while the next is fetched.
///
/// A separate task, the pump, reads the stream, and the driver of the loop takes the bytes. The pump opens the stream
/// only when libcurl requests the first byte. So a server that rejects the request by its head does not consume a
/// stream that can be read only once.
final class UploadBuffer: Sendable {
    private struct State {
        /// The current chunk, and the number of bytes taken from it.
        var piece: [UInt8] = []
        var offset = 0
        /// Whether `piece` is the last chunk.
        var isLast = false
        /// Whether libcurl has requested content.
        var isWanted = false
        /// Whether libcurl is paused and has to be resumed.
        var isStarved = false
        /// Whether the transfer is over.
        var isClosed = false
        /// The number of restarts; libcurl sends the content again if a reused connection turns out to be closed.
        var beginning = 0
        var failure: (any Error)?
        var waiter: UnsafeContinuation<Void, Never>?
        var pump: Task<Void, Never>?
        /// Resumes libcurl after a pause.
        var wake: @Sendable () -> Void = {}

        mutating func takeWaiter() -> UnsafeContinuation<Void, Never>? { waiter.take() }
    }

    private let stream: HTTPBodyStream
    private let state: Mutex<State>

    /// Creates a buffer whose pump does not run yet.
    init(_ stream: HTTPBodyStream) {
        self.stream = stream
        state = Mutex(State())
    }

    /// Creates a buffer of content in memory, which needs no pump.
    init(_ bytes: [UInt8]) {
        stream = HTTPBodyStream(bytes)
        state = Mutex(State(piece: bytes, isLast: true))
    }

    /// The announced length; nil for content of unknown length.
    var length: Int? { stream.length }

    /// The error of the source; nil if there is none.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Whether the content can be sent from its beginning, by another transfer too.
    var canRestart: Bool { stream.isReplayable || state.withLock { !$0.isWanted } }

    /// Whether libcurl has not requested any content yet, so that none was sent.
    var isUntouched: Bool { state.withLock { !$0.isWanted } }

    /// Whether libcurl has taken the whole content.
    var isTaken: Bool { state.withLock { $0.isLast && $0.offset == $0.piece.count } }

    /// Whether libcurl waits for the source, which is not the server's fault.
    var isStarved: Bool { state.withLock { $0.isStarved } }
}

// MARK: The driver's side

extension UploadBuffer {
    /// Copies available bytes into libcurl's buffer and returns their number, 0 at the end, or a code of its read
    /// callback.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (result, waiter) = state.withLock { state -> (Int, UnsafeContinuation<Void, Never>?) in
            guard state.failure == nil, !state.isClosed else { return (Int(CURL_READFUNC_ABORT), nil) }
            guard state.offset == state.piece.count else { return Self.copy(&state, into: buffer) }
            guard !state.isLast else { return (0, nil) }
            (state.isWanted, state.isStarved) = (true, true)
            return (Int(CURL_READFUNC_PAUSE), state.takeWaiter())
        }
        waiter?.resume()
        return result
    }

    private static func copy(
        _ state: inout State, into buffer: UnsafeMutableRawBufferPointer
    ) -> (Int, UnsafeContinuation<Void, Never>?) {
        let rest = state.piece[state.offset...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        state.offset += rest.count
        guard state.offset == state.piece.count else { return (rest.count, nil) }
        (state.piece, state.offset) = ([], 0)
        return (rest.count, state.takeWaiter())
    }

    /// Restarts the content; returns false if the stream cannot be read again.
    func rewind() -> Bool {
        let (isPossible, waiter) = state.withLock { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            guard state.isWanted else { return (true, nil) }
            guard stream.isReplayable, state.failure == nil else { return (false, nil) }
            state.beginning += 1
            (state.piece, state.offset, state.isLast) = ([], 0, false)
            return (true, state.takeWaiter())
        }
        waiter?.resume()
        return isPossible
    }

    /// Stops sending after the server has rejected the request before its end, and resumes a paused libcurl.
    ///
    /// libcurl then stops sending but continues to wait, so a transfer with a slow source would never end.
    func abandon() {
        close()
        wake()
    }

    private func wake() {
        let wake = state.withLock { $0.wake }
        wake()
    }

    /// Ends the pump after the transfer is over, and releases the stream.
    func close() {
        let (pump, waiter) = state.withLock { state in
            (state.isClosed, state.isStarved) = (true, false)
            return (state.pump.take(), state.takeWaiter())
        }
        waiter?.resume()
        pump?.cancel()
    }
}

// MARK: The pump's side

extension UploadBuffer {
    /// Starts the pump as a task that inherits the caller's context.
    ///
    /// - Parameter wake: Called if libcurl is paused and content has arrived.
    func start(waking wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        let pump = Task { await run() }
        let isLate = state.withLock { state in
            if !state.isClosed { state.pump = pump }
            return state.isClosed
        }
        if isLate { pump.cancel() }
    }

    private func run() async {
        while let beginning = await beginning() {
            do {
                try await pour(beginning)
            } catch {
                state.withLock { state in
                    guard state.beginning == beginning, !state.isClosed else { return }
                    (state.failure, state.isStarved) = (error, false)
                }
                wake()
            }
            await wait { $0.isClosed || $0.failure != nil || $0.beginning != beginning }
        }
    }

    /// Returns the number of the current restart as soon as libcurl requests content, or nil if there is nothing left
    /// to do.
    private func beginning() async -> Int? {
        await wait { $0.isClosed || $0.failure != nil || $0.isWanted }
        return state.withLock { $0.isClosed || $0.failure != nil ? nil : $0.beginning }
    }

    /// Reads the stream from its beginning to its end, or until the content is no longer needed.
    private func pour(_ beginning: Int) async throws {
        var count = 0
        var iterator = stream.makeAsyncIterator()
        while let piece = try await iterator.next() {
            count += piece.count
            if let length, count >= length {
                // The request is complete with the last announced byte, even if the source would deliver more.
                guard count == length, try await iterator.next() == nil else { throw HTTPError.lengthMismatch }
                _ = await put(piece, isLast: true, beginning)
                return
            }
            guard await put(piece, isLast: false, beginning) else { return }
        }
        guard length == nil || length == count else { throw HTTPError.lengthMismatch }
        _ = await put([], isLast: true, beginning)
    }

    /// Buffers a chunk when the previous one is taken; returns false if it is no longer needed.
    private func put(_ piece: [UInt8], isLast: Bool, _ beginning: Int) async -> Bool {
        await wait { $0.isClosed || $0.beginning != beginning || $0.piece.isEmpty }
        let (isPut, isDue) = state.withLock { state in
            guard !state.isClosed, state.beginning == beginning else { return (false, false) }
            (state.piece, state.offset, state.isLast) = (piece, 0, isLast)
            defer { state.isStarved = false }
            return (true, state.isStarved)
        }
        if isDue { wake() }
        return isPut
    }

    /// Waits until a condition holds; a change of the state resumes the single waiter.
    private func wait(until isSo: @Sendable (borrowing State) -> Bool) async {
        while !state.withLock({ isSo($0) }) {
            await withUnsafeContinuation { waiter in
                let isSoNow = state.withLock { state in
                    let isSoNow = isSo(state)
                    if !isSoNow { state.waiter = waiter }
                    return isSoNow
                }
                if isSoNow { waiter.resume() }
            }
        }
    }
}
#endif
