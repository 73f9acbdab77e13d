// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import LatchCore
import Synchronization

/// The content of a request on its way from a stream to libcurl: one piece waits here while the next is fetched.
///
/// A task of its own, the pump, reads the stream; whoever drives the loop takes the bytes. The pump opens the stream
/// only when libcurl asks for the first byte, so a server that refuses the request by its head costs the stream
/// nothing, and one that can be read only once is still whole.
final class UploadFeed: Sendable {
    private struct State {
        /// What libcurl takes from, and how much of it is taken.
        var piece: [UInt8] = []
        var offset = 0
        /// Whether `piece` is the last one.
        var isLast = false
        /// Whether libcurl has asked at all.
        var isWanted = false
        /// Whether libcurl was told to wait, and has to be woken.
        var isStarved = false
        /// Whether the transfer is over; nobody takes anything any more.
        var isClosed = false
        /// Counts the beginnings: libcurl begins anew where a kept connection turned out to be dead.
        var beginning = 0
        var failure: (any Error)?
        var waiter: UnsafeContinuation<Void, Never>?
        var pump: Task<Void, Never>?
        /// Called where libcurl waits and need not wait any longer.
        var wake: @Sendable () -> Void = {}

        mutating func takeWaiter() -> UnsafeContinuation<Void, Never>? { waiter.take() }
    }

    private let stream: HTTPBodyStream
    private let state = Mutex(State())

    /// A feed whose pump does not run yet.
    init(_ stream: HTTPBodyStream) { self.stream = stream }

    /// What is announced; nil for content of unknown length.
    var length: Int? { stream.length }

    /// Why the source gave no more; nil where it did what it said.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Whether libcurl waits for the source, which is not the server's fault.
    var isStarved: Bool { state.withLock { $0.isStarved } }
}

// MARK: The driver's side

extension UploadFeed {
    /// Copies what is there into libcurl's buffer, in the words of its read callback: a count, 0 at the end, or a code.
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

    /// Begins anew; false where the stream cannot.
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

    /// The server has refused the request before it had all of it: no more is sent, and libcurl does not wait for more.
    ///
    /// libcurl itself stops sending then, but not waiting: a transfer whose source is slow would never end.
    func abandon() {
        close()
        wake()
    }

    private func wake() {
        let wake = state.withLock { $0.wake }
        wake()
    }

    /// The transfer is over: the pump ends, wherever it is, and lets the stream go.
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

extension UploadFeed {
    /// Starts the pump, as a task that inherits from the caller's.
    ///
    /// - Parameter wake: Called where libcurl waits for what has come.
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

    /// The number of the beginning that is due as soon as libcurl wants something; nil when there is nothing more to do.
    private func beginning() async -> Int? {
        await wait { $0.isClosed || $0.failure != nil || $0.isWanted }
        return state.withLock { $0.isClosed || $0.failure != nil ? nil : $0.beginning }
    }

    /// Reads the stream from its beginning to its end, or until nobody wants it so any more.
    private func pour(_ beginning: Int) async throws {
        var count = 0
        var iterator = stream.makeAsyncIterator()
        while let piece = try await iterator.next() {
            count += piece.count
            if let length, count >= length {
                // Once the last byte has gone out, the request is complete whatever else the source would have said.
                guard count == length, try await iterator.next() == nil else { throw HTTPError.lengthMismatch }
                _ = await put(piece, isLast: true, beginning)
                return
            }
            guard await put(piece, isLast: false, beginning) else { return }
        }
        guard length == nil || length == count else { throw HTTPError.lengthMismatch }
        _ = await put([], isLast: true, beginning)
    }

    /// Leaves a piece for libcurl once the one before is taken; false where nobody wants it any more.
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

    /// Waits until something is so; whoever changes the state resumes the waiter, of whom there is one.
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
