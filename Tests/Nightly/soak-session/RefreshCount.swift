// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// Counts what passes on the route of refreshes, and can stop one of them there.
final class RefreshCount: Handler {
    /// The point at which a refresh is stopped.
    enum Place: CaseIterable {
        /// The request has arrived, and nothing is stored.
        case beforeCommit
        /// The successor is stored, and nobody has been told.
        case beforeAnswer
    }

    private struct State {
        var requests = 0
        var refusals = 0
        var trap: (place: Place, sprung: AsyncStream<Void>.Continuation)?
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let next: any Handler
    private let state = Mutex(State())

    init(_ next: any Handler) { self.next = next }

    /// The number of requested refreshes.
    var requests: Int { state.withLock { $0.requests } }

    /// The number of refused refreshes.
    var refusals: Int { state.withLock { $0.refusals } }

    /// Stops the next refresh that comes to `place`, until `release()`; the stream ends when one has come.
    func stopNext(at place: Place) -> AsyncStream<Void> {
        let (stream, sprung) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.trap = (place, sprung) }
        return stream
    }

    /// Lets go on what was stopped.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.path == "/api/auth/refresh-token" else { return try await next.respond(to: request) }
        state.withLock { $0.requests += 1 }
        await pass(.beforeCommit)
        let response = try await next.respond(to: request)
        if !response.status.isSuccess { state.withLock { $0.refusals += 1 } }
        await pass(.beforeAnswer)
        return response
    }

    private func pass(_ place: Place) async {
        await withCheckedContinuation { continuation in
            let sprung = state.withLock { state -> AsyncStream<Void>.Continuation? in
                guard let trap = state.trap, trap.place == place else { return nil }
                state.trap = nil
                state.held.append(continuation)
                return trap.sprung
            }
            guard let sprung else { return continuation.resume() }
            sprung.finish()
        }
    }
}
