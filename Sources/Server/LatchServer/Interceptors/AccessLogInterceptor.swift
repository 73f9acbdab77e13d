// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A log entry for one request, without its query, its content and the values of its fields.
public struct AccessLogEntry: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The path without its query, which may contain secrets.
    public let path: String
    /// The pattern of the route, such as `/notes/{id}`; nil if the request reached no endpoint of a `Router`.
    public let route: String?
    /// The status of the response; nil if the endpoint threw an error.
    public let status: HTTPStatus?
    /// The code of the failure of the server that the response reports, such as `storeFull`; nil if there is none.
    public let failure: String?
    /// The number of bytes of the response's content; for a stream, the number that was read from it.
    public let contentLength: Int
    /// The time from the head of the request to its response, or to the end of a streamed response.
    public let duration: Duration
    /// The client's address; nil in process.
    public let remoteAddress: String?
    /// The identifier that `RequestIDInterceptor` assigned.
    public let requestID: String?
    /// The version of HTTP, `HTTP/1.1` or `HTTP/2`; nil in process.
    public let protocolVersion: String?
}

/// An interceptor that logs each request after its response, or after a streamed response has ended.
///
/// Put it inside of `RequestIDInterceptor`, so that it sees the identifier, and outside of `ProblemInterceptor`, so
/// that it sees every status.
public struct AccessLogInterceptor: Interceptor, Filter {
    private let write: @Sendable (AccessLogEntry) -> Void

    /// Creates an interceptor that passes each entry to `write`, which runs on the server's threads and must not block.
    public init(_ write: @escaping @Sendable (AccessLogEntry) -> Void) { self.write = write }

    /// Calls `next` and writes an entry, whether it responds or throws.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await filtered(request, next: next)
    }

    package func filter(_ request: inout HTTPRequest) -> Filtering {
        let start = ContinuousClock.now
        let known = request.context[MatchedRouteKey.self]
        let route = known ?? MatchedRoute()
        if known == nil { request.context[MatchedRouteKey.self] = route }
        return .proceed { [self, request] outcome in
            guard outcome.error == nil else { return write(entry(request, route, start, nil, 0)) }
            let status = outcome.response.status
            guard let stream = outcome.response.body.stream else {
                return write(entry(request, route, start, status, outcome.response.body.bytes.count))
            }
            let counter = StreamCounter { [self] in write(entry(request, route, start, status, $0)) }
            outcome.response.body = HTTPBody(counter.counting(stream))
        }
    }

    private func entry(
        _ request: HTTPRequest, _ route: MatchedRoute, _ start: ContinuousClock.Instant, _ status: HTTPStatus?,
        _ contentLength: Int
    ) -> AccessLogEntry {
        AccessLogEntry(
            method: request.method, path: request.pathWithoutQuery, route: route.pattern, status: status,
            failure: route.failure, contentLength: contentLength,
            duration: start.duration(to: .now), remoteAddress: request.remoteAddress,
            requestID: request.fields[.requestID],
            protocolVersion: request.context[ProtocolVersion.self])
    }
}

/// A counter of the bytes that are read from a stream, which reports their number when the stream is released.
private final class StreamCounter: Sendable {
    private let count = Mutex(0)
    /// Called once, on the thread that releases the stream.
    private let completion: @Sendable (Int) -> Void

    init(_ completion: @escaping @Sendable (Int) -> Void) { self.completion = completion }

    deinit { completion(count.withLock { $0 }) }

    /// Returns a stream that counts, for one reader.
    func counting(_ stream: HTTPBodyStream) -> HTTPBodyStream {
        let reader = Mutex<HTTPBodyStream.Iterator?>(stream.makeAsyncIterator())
        return HTTPBodyStream(
            length: stream.length,
            once: { [self] in
                // A stream has one reader at a time, which returns the iterator before the next call.
                guard var iterator = reader.withLock({ $0.take() }) else { return nil }
                let piece = try await iterator.next()
                count.withLock { $0 += piece?.count ?? 0 }
                let next = iterator
                reader.withLock { $0 = next }
                return piece
            }, trailers: { stream.trailers })
    }
}
