// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// A reader of response messages, whose head may still be pending.
///
/// It permits one read at a time. Releasing it ends the call.
final class ResponseMessageReader: Sendable {
    /// The state of the response.
    private enum State {
        case pending(Task<EnvelopedResponse, any Error>)
        case ready(EnvelopedResponse)
        /// A read is in progress.
        case reading
        case finished
    }

    private let state: Mutex<State>

    /// Creates a reader of a response whose head has arrived.
    init(_ response: EnvelopedResponse) { state = Mutex(.ready(response)) }

    /// Creates a reader that sends the request immediately.
    init(_ begin: @escaping @Sendable () async throws -> EnvelopedResponse) {
        state = Mutex(.pending(Task { try await begin() }))
    }

    deinit {
        guard case .pending(let task) = state.withLock({ $0 }) else { return }
        task.cancel()
    }

    /// Returns the next message, or nil after the last one.
    ///
    /// - Throws: `HTTPError.streamSpent` for a concurrent second read; nil would look like the end.
    func next() async throws -> [UInt8]? {
        let previous = state.withLock { state in
            defer { if case .finished = state {} else { state = .reading } }

            return state
        }
        do {
            guard var response = try await response(previous) else { return nil }
            let message = try await response.next()
            state.withLock { [response] in $0 = message == nil ? .finished : .ready(response) }
            return message
        } catch {
            if case .reading = previous { throw error }
            state.withLock { $0 = .finished }
            throw error
        }
    }

    private func response(_ state: State) async throws -> EnvelopedResponse? {
        switch state {
        case .ready(let response): return response
        case .reading: throw HTTPError.streamSpent
        case .finished: return nil
        case .pending(let task):
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}
