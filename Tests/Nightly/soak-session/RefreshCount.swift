// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// Counts what passes on the route of refreshes, and can stop refreshes there.
final class RefreshCount: Handler {
    /// The point at which a refresh is stopped.
    enum Place: CaseIterable {
        /// The request has arrived, and nothing is stored.
        case beforeCommit
        /// The successor is stored, and nobody has been told.
        case beforeAnswer
        /// The successor is stored, and the content of the response comes byte by byte.
        case inContent
    }

    /// A refresh that has arrived.
    struct Arrival: Sendable {
        /// The process that sent it; nil if it did not say so.
        var process: String?
        var time: ContinuousClock.Instant
    }

    private struct State {
        var arrivals: [Arrival] = []
        var refusals = 0
        var trap: (place: Place, sprung: AsyncStream<Void>.Continuation)?
        /// The place at which all refreshes are stopped.
        var hangs: Place?
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let next: any Handler
    private let state = Mutex(State())

    init(_ next: any Handler) { self.next = next }

    /// The number of requested refreshes.
    var requests: Int { arrivals.count }

    /// The requested refreshes.
    var arrivals: [Arrival] { state.withLock { $0.arrivals } }

    /// The number of refused refreshes.
    var refusals: Int { state.withLock { $0.refusals } }

    /// Stops the next refresh that comes to `place`, until `release()`; the stream ends when one has come.
    func stopNext(at place: Place) -> AsyncStream<Void> {
        let (stream, sprung) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.trap = (place, sprung) }
        return stream
    }

    /// Stops every refresh at `place`, until `release()`.
    func hang(at place: Place) { state.withLock { $0.hangs = place } }

    /// Lets go on what was stopped.
    func release() {
        let held = state.withLock { state in
            defer { (state.held, state.hangs) = ([], nil) }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.path == "/api/auth/refresh-token" else { return try await next.respond(to: request) }
        let arrival = Arrival(process: request.fields[SoakWorker.processField], time: .now)
        state.withLock { $0.arrivals.append(arrival) }
        await pass(.beforeCommit)
        var response = try await next.respond(to: request)
        if !response.status.isSuccess { state.withLock { $0.refusals += 1 } }
        await pass(.beforeAnswer)
        if state.withLock({ $0.hangs == .inContent }) { response.body = trickle(of: response.body.bytes) }
        return response
    }

    private func pass(_ place: Place) async {
        await withCheckedContinuation { continuation in
            let (isHeld, sprung) = state.withLock { state -> (Bool, AsyncStream<Void>.Continuation?) in
                let isTrapped = state.trap?.place == place
                guard isTrapped || state.hangs == place else { return (false, nil) }
                let sprung = isTrapped ? state.trap.take()?.sprung : nil
                state.held.append(continuation)
                return (true, sprung)
            }
            sprung?.finish()
            if !isHeld { continuation.resume() }
        }
    }

    /// Returns content of which a byte comes each 100 milliseconds as long as the refreshes hang.
    private func trickle(of bytes: [UInt8]) -> HTTPBody {
        let rest = Mutex(bytes[...])
        return HTTPBody(
            HTTPBodyStream(
                length: bytes.count,
                once: {
                    let isSlow = self.state.withLock { $0.hangs == .inContent }
                    if isSlow { try await Task.sleep(for: .milliseconds(100)) }
                    return rest.withLock { rest in
                        let chunk = isSlow ? rest.prefix(1) : rest
                        rest = rest.dropFirst(chunk.count)
                        return chunk.isEmpty ? nil : Array(chunk)
                    }
                }))
    }
}
