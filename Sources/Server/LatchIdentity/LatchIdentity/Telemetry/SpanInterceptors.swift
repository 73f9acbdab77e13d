// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
import LatchServer

/// An interceptor of a server that records a span for each request, within the client's trace (W3C Trace Context).
///
/// The server decides whether a request is recorded, so that no stranger fills the collector or hides from it. The flag
/// of a `traceparent` counts only if it comes from one of the configured networks.
///
/// A span has the method, the route and the status, as the semantic conventions name them, and the request ID. It has
/// no path, query, fields or addresses.
package struct ServerSpanInterceptor: Interceptor {
    private let exporter: TelemetryExporter

    /// Creates an interceptor that records to an exporter.
    package init(_ exporter: TelemetryExporter) { self.exporter = exporter }

    /// Calls `next` within a span.
    package func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let (clock, random) = (exporter.clock, exporter.random)
        let parent = TraceContext(request.fields)
        let isSampled = isSampled(request, parent)
        let trace =
            parent?.child(isSampled: isSampled, random: random)
            ?? TraceContext(isSampled: isSampled, random: random)
        var request = request
        request.trace = trace
        request.askForRoute()
        let (start, uptime) = (clock.now, clock.uptime)
        let traced = request
        let record = { (response: HTTPResponse?) in
            guard trace.isSampled else { return }
            exporter.record(span(of: traced, response, trace, parent, start, clock.uptime - uptime))
        }
        do {
            let current = CurrentSpan(trace: trace, recorder: exporter)
            let response = try await CurrentSpan.$value.withValue(current) { try await next.respond(to: traced) }
            record(response)
            return response
        } catch {
            record(nil)
            throw error
        }
    }

    /// Decides whether a request is recorded: at random, not by the trace's identifier, which a client chooses.
    private func isSampled(_ request: HTTPRequest, _ parent: TraceContext?) -> Bool {
        let configuration = exporter.configuration
        if let parent, configuration.parents.contains(senderOf: request) { return parent.isSampled }
        return configuration.ratio >= 1 || exporter.random.unit() < configuration.ratio
    }

    private func span(
        of request: HTTPRequest, _ response: HTTPResponse?, _ trace: TraceContext, _ parent: TraceContext?,
        _ start: Date, _ duration: Duration
    ) -> TelemetrySpan {
        let method = TelemetrySpan.method(of: request)
        let route = request.context[MatchedRouteKey.self]?.pattern
        var span = TelemetrySpan(
            name: route.map { "\(method) \($0)" } ?? method, kind: .server, trace: trace, parentID: parent?.spanID,
            start: start, duration: duration)
        span.attributes = [("http.request.method", .text(method)), ("url.scheme", .text(request.scheme))]
        if let route { span.attributes.append(("http.route", .text(route))) }
        if let response {
            span.attributes.append(("http.response.status_code", .number(response.status.rawValue)))
            if let id = response.fields[.requestID] { span.attributes.append(("latch.request_id", .text(id))) }
        }
        span.isFailed = (response?.status.rawValue ?? 500) >= 500
        return span
    }
}

/// An interceptor of a transport that records a span for each request that the server itself sends.
///
/// The span is part of the trace of the request that the server handles. Only the configured origins receive the trace:
/// an identifier that others share tells them which requests belong together.
package struct ClientSpanInterceptor: Interceptor {
    private let exporter: TelemetryExporter

    /// Creates an interceptor that records to an exporter.
    package init(_ exporter: TelemetryExporter) { self.exporter = exporter }

    /// Calls `next` within a span.
    package func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        request.fields[.traceparent] = nil
        request.fields[.tracestate] = nil
        guard let parent = CurrentSpan.value?.trace else { return try await next.respond(to: request) }
        let (clock, trace) = (exporter.clock, parent.child(random: exporter.random))
        request.trace = trace
        if exporter.configuration.propagatedOrigins.contains(request.origin) {
            request.fields[.traceparent] = trace.traceparent
            if !trace.tracestate.isEmpty { request.fields[.tracestate] = trace.tracestate }
        }
        let (start, uptime) = (clock.now, clock.uptime)
        let (method, host) = (TelemetrySpan.method(of: request), request.origin.host)
        let record = { (status: Int?) in
            guard trace.isSampled else { return }
            var span = TelemetrySpan(
                name: method, kind: .client, trace: trace, parentID: parent.spanID, start: start,
                duration: clock.uptime - uptime)
            span.attributes = [("http.request.method", .text(method)), ("server.address", .text(host))]
            if let status { span.attributes.append(("http.response.status_code", .number(status))) }
            span.isFailed = status.map { $0 >= 400 } ?? true
            exporter.record(span)
        }
        do {
            let response = try await next.respond(to: request)
            record(response.status.rawValue)
            return response
        } catch {
            record(nil)
            throw error
        }
    }
}

/// A mailer that records a span for each email that another mailer sends, without its recipient and text.
package struct TracedMailer: Mailer {
    private let next: any Mailer
    private let exporter: TelemetryExporter

    /// Creates a mailer that sends by another mailer.
    package init(_ next: any Mailer, _ exporter: TelemetryExporter) {
        self.next = next
        self.exporter = exporter
    }

    /// Sends the email; its span is in no request's trace, since the email may wait in the store for days.
    package func send(_ message: MailMessage) async throws {
        let (clock, ratio) = (exporter.clock, exporter.configuration.ratio)
        let isSampled = ratio >= 1 || exporter.random.unit() < ratio
        let trace = TraceContext(isSampled: isSampled, random: exporter.random)
        let (start, uptime) = (clock.now, clock.uptime)
        let record = { (isFailed: Bool) in
            guard isSampled else { return }
            exporter.record(
                TelemetrySpan(
                    name: "send mail", kind: .client, trace: trace, parentID: nil, start: start,
                    duration: clock.uptime - uptime, isFailed: isFailed))
        }
        do {
            try await next.send(message)
            record(false)
        } catch {
            record(true)
            throw error
        }
    }
}

extension TelemetrySpan {
    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ]

    /// Returns the method of a request; all nonstandard methods have one name, since clients can invent them.
    fileprivate static func method(of request: HTTPRequest) -> String {
        methods.contains(request.method.rawValue) ? request.method.rawValue : "_OTHER"
    }
}
