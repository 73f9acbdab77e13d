// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The content of a request that its handler reads while it arrives.
///
/// Its connection limits the memory: it takes more from the client only as the handler reads.
final class StreamedContent: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// The end of the content; nil while more may arrive.
        var end: Result<HTTPFields, any Error>?
        var reader: CheckedContinuation<Void, Never>?
        /// Whether the reader has waited for bytes.
        var isAwaited = false
    }

    private let state = Mutex(State())
    /// Called on the reader's thread with the number of bytes that it has taken.
    private let taken: @Sendable (Int) -> Void
    /// Called on the reader's thread when it waits for the first time.
    private let awaited: @Sendable () -> Void
    /// The number of bytes that the head announces; nil if there is none.
    private let length: Int?

    init(
        length: Int? = nil, taken: @escaping @Sendable (Int) -> Void, awaited: @escaping @Sendable () -> Void = {}
    ) { (self.length, self.taken, self.awaited) = (length, taken, awaited) }

    /// The stream that a handler can read once.
    var body: HTTPBody {
        HTTPBody(HTTPBodyStream(length: length, once: { try await self.next() }, trailers: { self.trailers }))
    }

    private var trailers: HTTPFields {
        state.withLock { if case .success(let trailers) = $0.end { trailers } else { [:] } }
    }

    /// Adds bytes that have arrived.
    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        let reader = state.withLock { state in
            state.bytes.append(contentsOf: bytes)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Ends the content; only the first end counts, and bytes that arrived before it can still be read.
    func finish(_ end: Result<HTTPFields, any Error>) {
        let reader = state.withLock { state in
            state.end = state.end ?? end
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Waits for bytes and takes all available ones; nil at the end.
    private func next() async throws -> [UInt8]? {
        while true {
            let (bytes, end) = state.withLock { state in
                defer { state.bytes = [] }
                return (state.bytes, state.end)
            }
            if !bytes.isEmpty {
                taken(bytes.count)
                return bytes
            }
            if let end {
                _ = try end.get()
                return nil
            }
            try Task.checkCancellation()
            if isFirstWait() { awaited() }
            await arrival()
        }
    }

    private func isFirstWait() -> Bool {
        state.withLock { state in
            defer { state.isAwaited = true }
            return !state.isAwaited
        }
    }

    private func arrival() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    // If the task is canceled after this check, the cancellation handler below resumes the reader.
                    guard state.bytes.isEmpty, state.end == nil, !Task.isCancelled else { return true }
                    state.reader = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            let reader = state.withLock { $0.reader.take() }
            reader?.resume()
        }
    }
}
