// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Continues a trace, or begins one, and tells it to those servers that may know it (W3C Trace Context).
///
/// ```swift
/// TraceInterceptor(tellingTo: { $0.host == "api.example.com" })
/// ```
///
/// The trace is that of `HTTPRequest.trace`, or of the request's own fields, or a new one. Each request has a span of
/// its own; inside of `RetryInterceptor` so has each attempt. On a server it takes up what the client sent.
public struct TraceInterceptor: Interceptor {
    private let mayKnow: @Sendable (HTTPOrigin) -> Bool
    private let samples: @Sendable () -> Bool
    private let random: RandomSource

    /// An interceptor.
    ///
    /// - Parameters:
    ///   - mayKnow: Which origins are told, also after a redirect; by default none. An identifier that runs through many
    ///     programs shows whoever sees it that they belong together.
    ///   - share: Which share of the traces that begin here is kept by those who record them.
    public init(
        tellingTo mayKnow: @escaping @Sendable (HTTPOrigin) -> Bool = { _ in false }, sampling share: Double = 1,
        random: RandomSource = .system
    ) {
        self.mayKnow = mayKnow
        samples = { share >= 1 || random.unit() < share }
        self.random = random
    }

    /// Asks `next` with a span of its own.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        let parent = request.trace ?? TraceContext(request.fields)
        let trace = parent?.child(random: random) ?? TraceContext(isSampled: samples(), random: random)
        request.trace = trace
        request.steps.append(TraceStep(trace: trace, mayKnow: mayKnow))
        return try await next.respond(to: request)
    }
}

/// Writes the fields of each message that goes to an origin that may know, and takes them from all others.
private struct TraceStep: WireStep {
    let trace: TraceContext
    let mayKnow: @Sendable (HTTPOrigin) -> Bool

    /// It decides for each origin by itself.
    var crossesOrigins: Bool { true }

    func prepare(_ request: inout HTTPRequest) async throws {
        let isKnown = mayKnow(request.origin)
        request.fields[.traceparent] = isKnown ? trace.parent : nil
        request.fields[.tracestate] = isKnown && !trace.state.isEmpty ? trace.state : nil
    }
}
