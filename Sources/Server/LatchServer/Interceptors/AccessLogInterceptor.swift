// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A log entry for one request, without its query, its content and the values of its fields.
public struct AccessLogEntry: Sendable {
    /// The request's method, such as `GET`.
    public let method: HTTPMethod
    /// The path without its query, which may contain secrets.
    public let path: String
    /// The pattern of the route, such as `/notes/{id}`; nil if the request reached no endpoint of a `Router`.
    public internal(set) var route: String?
    /// The status of the response; nil if the endpoint threw an error.
    public internal(set) var status: HTTPStatus?
    /// The code of a failure; nil if there is none.
    ///
    /// It is the code of the server failure that the response reports, such as `storeFull`. For an error of the
    /// endpoint or of a streamed response, it is the error's code or type.
    public internal(set) var failure: String?
    /// The code for which the endpoint rejected the request, such as `invalid_request:code_challenge`; nil without a
    /// code.
    ///
    /// It never contains a value of the request.
    public internal(set) var refusal: String?
    /// The number of bytes of the response's content; for a stream, the number of bytes that were read from it.
    public internal(set) var contentLength: Int
    /// The time from the head of the request to its response, or to the end of a streamed response.
    public internal(set) var duration: Duration
    /// The client's address; nil in process.
    public let remoteAddress: String?
    /// The identifier that `RequestIDInterceptor` assigned.
    public let requestID: String?
    /// The version of HTTP, `HTTP/1.1` or `HTTP/2`; nil in process.
    public let protocolVersion: String?
}

/// An interceptor that logs each request after its response, or after a streamed response has ended.
///
/// Put it inside of `RequestIDInterceptor`, so that it sees the identifier. Put it outside of `ProblemInterceptor`, so
/// that it sees every status.
public struct AccessLogInterceptor: Interceptor, Filter {
    private let write: @Sendable (AccessLogEntry) -> Void

    /// Creates an interceptor that passes each entry to `write`, which runs on the server's threads and must not block.
    public init(_ write: @escaping @Sendable (AccessLogEntry) -> Void) { self.write = write }

    /// Calls `next` and writes an entry, whether it responds or throws.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await response(to: request, next: next)
    }

    @usableFromInline
    package func filter(_ request: inout HTTPRequest) -> Filtering<LoggedRequest> {
        let route = request.askForRoute()
        let entry = AccessLogEntry(
            method: request.method, path: request.pathWithoutQuery, route: nil, status: nil, failure: nil,
            refusal: nil, contentLength: 0, duration: .zero, remoteAddress: request.remoteAddress,
            requestID: request.fields[.requestID], protocolVersion: request.context[ProtocolVersion.self])
        return .proceed(LoggedRequest(start: .now, route: route, entry: entry))
    }

    @usableFromInline
    package func complete(_ outcome: inout Outcome, _ request: consuming LoggedRequest) {
        if outcome.error == nil {
            request.entry.status = outcome.response.status
            if let stream = outcome.response.body.stream {
                let counter = StreamCounter { [self, request] count, failure in
                    var request = request
                    request.end(contentLength: count, failure)
                    write(request.entry)
                }
                outcome.response.body = HTTPBody(counter.counting(stream))
                return
            }
        }
        request.end(contentLength: outcome.error == nil ? outcome.response.body.bytes.count : 0, outcome.error)
        write(request.entry)
    }
}

/// The log entry of a request, and the values that it waits for.
@usableFromInline
package struct LoggedRequest: Sendable {
    fileprivate let start: ContinuousClock.Instant
    fileprivate let route: MatchedRoute
    fileprivate var entry: AccessLogEntry

    /// Adds the values that are known when the response has ended.
    fileprivate mutating func end(contentLength: Int, _ error: (any Error)?) {
        entry.contentLength = contentLength
        entry.duration = start.duration(to: .now)
        (entry.route, entry.failure, entry.refusal) = route.findings
        // The text of an error may contain data that must not be logged.
        if let error, !(error is CancellationError), entry.failure == nil {
            entry.failure = error.codeOrType
        }
    }
}

/// A counter of the bytes that are read from a stream, which reports their number when the stream is released.
private final class StreamCounter: Sendable {
    private let state = Mutex<(count: Int, failure: (any Error)?)>((0, nil))
    /// Called once, on the thread that releases the stream.
    private let completion: @Sendable (_ count: Int, _ failure: (any Error)?) -> Void

    init(_ completion: @escaping @Sendable (Int, (any Error)?) -> Void) { self.completion = completion }

    deinit {
        let (count, failure) = state.withLock { $0 }
        completion(count, failure)
    }

    /// Returns a stream that counts, for one reader.
    func counting(_ stream: HTTPBodyStream) -> HTTPBodyStream {
        let reader = Mutex<HTTPBodyStream.Iterator?>(stream.makeAsyncIterator())
        return HTTPBodyStream(
            length: stream.length,
            once: { [self] in
                // A stream has one reader at a time, which returns the iterator before the next call.
                guard var iterator = reader.withLock({ $0.take() }) else { return nil }
                let piece: [UInt8]?
                do { piece = try await iterator.next() } catch {
                    state.withLock { $0.failure = error }
                    throw error
                }
                state.withLock { $0.count += piece?.count ?? 0 }
                let next = iterator
                reader.withLock { $0 = next }
                return piece
            }, trailers: { stream.trailers })
    }
}
