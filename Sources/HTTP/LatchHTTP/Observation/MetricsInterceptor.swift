// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Counts requests and measures how long they take.
///
/// ```swift
/// let metrics = RequestMetrics()
/// let client = Client(baseURL: url, interceptors: [MetricsInterceptor(metrics)])
/// metrics.snapshot().inFlight
/// ```
public struct MetricsInterceptor: Interceptor {
    private let sink: any MetricsSink
    private let clock: WallClock

    /// An interceptor that tells `sink` of each request.
    public init(_ sink: any MetricsSink, clock: WallClock = .system) {
        self.sink = sink
        self.clock = clock
    }

    /// Asks `next` and counts what came of it.
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
        let kind = RequestSample.Kind(
            method: Self.methods.contains(request.method) ? request.method.rawValue : "OTHER",
            template: request.template ?? "", outcome: outcome)
        sink.ended(
            RequestSample(
                kind: kind, duration: clock.uptime - began, sentBytes: request.body.length ?? 0,
                receivedBytes: receivedBytes))
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

    /// The codes of this module are few; what others throw is one series, since nobody knows how many codes there are.
    private static func outcome(_ error: any Error) -> String {
        if error is CancellationError { return HTTPError.cancelled.code }
        return (error as? HTTPError)?.code ?? "error"
    }
}
