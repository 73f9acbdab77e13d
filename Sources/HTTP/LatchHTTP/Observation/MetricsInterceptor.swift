// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An interceptor that counts requests and measures their duration.
///
/// ```swift
/// struct Console: MetricsSink {
///     func began() {}
///     func ended(_ sample: RequestSample) { print(sample.template, sample.outcome, sample.duration) }
/// }
/// let client = Client(baseURL: url, interceptors: [MetricsInterceptor(Console())])
/// ```
public struct MetricsInterceptor: Interceptor {
    private let sink: any MetricsSink
    private let clock: WallClock

    /// Creates an interceptor that reports each request to `sink`.
    public init(_ sink: any MetricsSink, clock: WallClock = .system) {
        self.sink = sink
        self.clock = clock
    }

    /// Calls `next` and reports the result.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let began = clock.uptime
        sink.began()
        do {
            let response = try await next.respond(to: request)
            end(request, began, outcome: Self.outcome(response.status), receivedBytes: response.body.length ?? 0)
            return response
        } catch {
            end(request, began, outcome: Self.outcome(error), receivedBytes: 0)
            throw error
        }
    }

    private func end(_ request: HTTPRequest, _ began: Duration, outcome: String, receivedBytes: Int) {
        sink.ended(
            RequestSample(
                method: Self.methods.contains(request.method) ? request.method.rawValue : "OTHER",
                template: request.template ?? "", outcome: outcome, duration: clock.uptime - began,
                sentBytes: request.body.length ?? 0, receivedBytes: receivedBytes))
    }

    private static let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete, .head, .options]

    private static func outcome(_ status: HTTPStatus) -> String {
        switch status.rawValue / 100 {
        case 1: "1xx"
        case 2: "2xx"
        case 3: "3xx"
        case 4: "4xx"
        case 5: "5xx"
        default: "other"
        }
    }

    /// Returns the outcome label of an error; foreign errors share one, to limit the number of series.
    private static func outcome(_ error: any Error) -> String {
        if error is CancellationError { return HTTPError.cancelled.code }
        return (error as? HTTPError)?.code ?? "error"
    }
}

/// A receiver of the measurements of a `MetricsInterceptor`.
public protocol MetricsSink: Sendable {
    /// Records the start of a request; it must not block.
    func began()

    /// Records the end of a request; it must not block.
    func ended(_ sample: RequestSample)
}

/// The measurement of one completed request.
public struct RequestSample: Sendable, Hashable {
    /// The method; `OTHER` for uncommon ones, to limit the number of series.
    public let method: String
    /// The request's `template`; empty if it has none.
    public let template: String
    /// The status class such as `2xx`, or the code of an error.
    public let outcome: String
    /// The duration from the request to its response.
    public let duration: Duration
    /// The number of bytes of content sent; 0 if it is not known.
    public let sentBytes: Int
    /// The number of bytes of content received; 0 if it is not known.
    public let receivedBytes: Int
}
