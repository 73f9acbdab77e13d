// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// One answered request as a log may show it: without the query, the content and the values of fields.
public struct AccessLogEntry: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The path without its query, in which secrets may stand.
    public let path: String
    /// The status of the answer; nil where the endpoint threw.
    public let status: HTTPStatus?
    /// How many bytes of content the answer has; of a stream, how many were taken from it.
    public let contentLength: Int
    /// From the head of the request to its answer, or to the end of the stream that it is.
    public let duration: Duration
    /// The client's address; nil in process.
    public let remoteAddress: String?
    /// The identifier that `RequestIDInterceptor` gave the request.
    public let requestID: String?
}

/// Tells a log about each request after it was answered, and where the answer is a stream, after that was let go.
///
/// Put it inside of `RequestIDInterceptor`, so that it knows the identifier, and outside of `ProblemInterceptor`, so
/// that it sees every status.
public struct AccessLogInterceptor: Interceptor {
    /// Called on the thread that the answer came on, which is a loop's.
    private let write: @Sendable (AccessLogEntry) -> Void

    /// An interceptor that hands each entry to `write`, which must not block.
    public init(_ write: @escaping @Sendable (AccessLogEntry) -> Void) { self.write = write }

    /// Asks `next` and writes an entry, whether there is an answer or an error.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let start = ContinuousClock.now
        do {
            var response = try await next.respond(to: request)
            guard let stream = response.body.stream else {
                write(entry(request, start, response.status, response.body.bytes.count))
                return response
            }
            let status = response.status
            let count = StreamCount { [self] in write(entry(request, start, status, $0)) }
            response.body = HTTPBody(count.counting(stream))
            return response
        } catch {
            write(entry(request, start, nil, 0))
            throw error
        }
    }

    /// Takes only what a log may show; nothing of the query, of the fields or of the contents comes this far.
    private func entry(
        _ request: HTTPRequest, _ start: ContinuousClock.Instant, _ status: HTTPStatus?, _ contentLength: Int
    ) -> AccessLogEntry {
        AccessLogEntry(
            method: request.method, path: String(request.pathWithoutQuery), status: status,
            contentLength: contentLength, duration: start.duration(to: .now),
            remoteAddress: request.remoteAddress, requestID: request.fields[.requestID])
    }
}
