// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An interceptor that continues or starts a trace and propagates it to trusted servers (W3C Trace Context).
///
/// ```swift
/// TraceInterceptor(propagatingTo: { $0.host == "api.example.com" })
/// ```
///
/// The parent is `HTTPRequest.trace`, or the request's fields; otherwise a new trace starts. Each request gets a
/// separate span, and inside `RetryInterceptor` each attempt does. On a server it continues the client's trace.
public struct TraceInterceptor: Interceptor {
    private let propagates: @Sendable (HTTPOrigin) -> Bool
    private let samples: @Sendable () -> Bool
    private let random: RandomSource

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - propagates: A function that returns whether a trace is propagated to an origin, also after a redirect; by
    ///     default to none. A shared identifier tells every recipient which requests belong together.
    ///   - share: The fraction of new traces that are sampled, from 0 to 1.
    ///   - random: The source of the identifiers and of the sampling decisions.
    public init(
        propagatingTo propagates: @escaping @Sendable (HTTPOrigin) -> Bool = { _ in false }, sampling share: Double = 1,
        random: RandomSource = .system
    ) {
        self.propagates = propagates
        samples = { share >= 1 || random.unit() < share }
        self.random = random
    }

    /// Calls `next` with a new span.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        let parent = request.trace ?? TraceContext(request.fields)
        let trace = parent?.child(random: random) ?? TraceContext(isSampled: samples(), random: random)
        request.trace = trace
        request.modifiers.append(TraceModifier(trace: trace, propagates: propagates))
        return try await next.respond(to: request)
    }
}

/// The modifier that sets the trace fields for trusted origins and removes them for all others.
private struct TraceModifier: RequestModifier {
    let trace: TraceContext
    let propagates: @Sendable (HTTPOrigin) -> Bool

    /// Applies to every origin, and decides separately for each.
    var crossesOrigins: Bool { true }

    func prepare(_ request: inout HTTPRequest) async throws {
        let isKnown = propagates(request.origin)
        request.fields[.traceparent] = isKnown ? trace.traceparent : nil
        request.fields[.tracestate] = isKnown && !trace.tracestate.isEmpty ? trace.tracestate : nil
    }
}
