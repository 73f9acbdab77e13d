// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentityStorage

/// A writer of exports in OTLP's JSON (OpenTelemetry protocol, "JSON Protobuf Encoding").
///
/// Names are in camel case, identifiers in hexadecimal, 64-bit integers are texts, and enumerations are numbers. The
/// writer appends bytes, since a busy server has thousands of spans per second.
struct TelemetryJSON {
    /// The attributes of the program that sends.
    typealias Resource = [(key: String, value: String)]

    private var bytes: [UInt8] = []
    /// Whether a comma must precede the next element of a list.
    private var needsComma = false

    private init(room: Int) { bytes.reserveCapacity(room) }

    /// Returns the content of `POST /v1/traces`.
    static func content(_ spans: [TelemetrySpan], of resource: Resource) -> [UInt8] {
        var writer = TelemetryJSON(room: 512 * (spans.count + 1))
        writer.begin(#"{"resourceSpans":[{"resource":{"attributes":["#)
        writer.write(resource)
        writer.begin(#"]},"scopeSpans":[{"scope":{"name":"latchwork"},"spans":["#)
        for span in spans { writer.write(span) }
        writer.end("]}]}]}")
        return writer.bytes
    }

    /// Returns the content of `POST /v1/metrics`, with the metrics in the order of their first samples.
    ///
    /// - Parameter start: The time at which counting began.
    static func content(
        _ samples: [MetricSample], since start: Date, at now: Date, of resource: Resource
    ) -> [UInt8] {
        var metrics: [Metric] = []
        var groups: [String: [MetricSample]] = [:]
        for sample in samples where sample.value != .gauge(nil) {
            if groups[sample.metric.name] == nil { metrics.append(sample.metric) }
            groups[sample.metric.name, default: []].append(sample)
        }
        let times = (start: String(start.unixNanoseconds), now: String(now.unixNanoseconds))
        var writer = TelemetryJSON(room: 256 * (samples.count + 1))
        writer.begin(#"{"resourceMetrics":[{"resource":{"attributes":["#)
        writer.write(resource)
        writer.begin(#"]},"scopeMetrics":[{"scope":{"name":"latchwork"},"metrics":["#)
        for metric in metrics { writer.write(metric, groups[metric.name] ?? [], times) }
        writer.end("]}]}]}")
        return writer.bytes
    }

    /// Returns the number of items that a collector reports as rejected, at least 0; 0 for any other response.
    static func rejected(in content: [UInt8]) -> Int {
        let response: JSONValue
        do { response = try JSONValue(parsing: content) } catch {
            // A collector may respond without content.
            return 0
        }
        let success = response["partialSuccess"]
        let count = success?["rejectedSpans"] ?? success?["rejectedDataPoints"]
        return max(0, count?.stringValue.flatMap { Int($0) } ?? count?.intValue ?? 0)
    }

    // MARK: Spans

    private mutating func write(_ span: TelemetrySpan) {
        element(#"{"traceId":"#)
        write(span.trace.traceID)
        member(#","spanId":"#, span.trace.spanID)
        if !span.trace.tracestate.isEmpty { member(#","traceState":"#, span.trace.tracestate) }
        if let parent = span.parentID { member(#","parentSpanId":"#, parent) }
        member(#","name":"#, span.name)
        switch span.kind {
        case .internal: append(#","kind":1"#)
        case .server: append(#","kind":2"#)
        case .client: append(#","kind":3"#)
        }
        let start = span.start.unixNanoseconds
        member(#","startTimeUnixNano":"#, String(start))
        member(#","endTimeUnixNano":"#, String(start &+ UInt64(max(span.duration.inSeconds, 0) * 1e9)))
        begin(#","attributes":["#)
        for (key, value) in span.attributes {
            switch value {
            case .text(let text): attribute(key, #""stringValue":"#, text)
            case .number(let number): attribute(key, #""intValue":"#, String(number))
            }
        }
        end("]")
        if span.isFailed { append(#","status":{"code":2}"#) }
        // The W3C flags in the lowest byte.
        append(span.trace.isSampled ? #","flags":1}"# : "}")
    }

    // MARK: Metrics

    /// Writes a metric with its series, which are all of one kind.
    private mutating func write(
        _ metric: Metric, _ group: [MetricSample], _ times: (start: String, now: String)
    ) {
        element(#"{"name":"#)
        write(metric.name)
        member(#","description":"#, metric.help)
        // A count has no unit: collectors that write for Prometheus would append the unit's name to the metric's name.
        if metric.isOfSeconds { member(#","unit":"#, "s") }
        switch group.first?.value {
        case .counter: begin(#","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":["#)
        case .histogram: begin(#","histogram":{"aggregationTemporality":2,"dataPoints":["#)
        case .gauge, nil: begin(#","gauge":{"dataPoints":["#)
        }
        for sample in group { write(sample, times) }
        end("]}}")
    }

    private mutating func write(_ sample: MetricSample, _ times: (start: String, now: String)) {
        element(#"{"timeUnixNano":"#)
        write(times.now)
        switch sample.value {
        case .counter(let number):
            member(#","startTimeUnixNano":"#, times.start)
            member(#","asInt":"#, String(number))
        case .gauge(let number): member(#","asInt":"#, String(number ?? 0))
        case .histogram(let histogram):
            member(#","startTimeUnixNano":"#, times.start)
            member(#","count":"#, String(histogram.count))
            append(#","sum":"#)
            serialize(.number(histogram.seconds))
            append(#","bucketCounts":"#)
            serialize(.array(histogram.intervals.map { .string(String($0)) }))
            append(#","explicitBounds":"#)
            serialize(.array(histogram.bounds.map { .number($0) }))
        }
        begin(#","attributes":["#)
        if let name = sample.metric.label { attribute(name, #""stringValue":"#, sample.label) }
        end("]}")
    }

    // MARK: Parts

    private mutating func write(_ resource: Resource) {
        for (key, value) in resource { attribute(key, #""stringValue":"#, value) }
    }

    private mutating func attribute(_ key: String, _ kind: StaticString, _ value: String) {
        element(#"{"key":"#)
        write(key)
        append(#","value":{"#)
        member(kind, value)
        end("}}")
    }

    private mutating func member(_ name: StaticString, _ value: String) {
        append(name)
        write(value)
    }

    /// Appends a text.
    private mutating func write(_ text: String) {
        let mustEscape = text.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        guard !mustEscape else { return serialize(.string(text)) }
        append("\"")
        bytes.append(contentsOf: text.utf8)
        append("\"")
    }

    private mutating func serialize(_ value: JSONValue) { bytes.append(contentsOf: value.serialized()) }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends the beginning of a list.
    private mutating func begin(_ text: StaticString) {
        append(text)
        needsComma = false
    }

    /// Appends the beginning of an element of a list.
    private mutating func element(_ text: StaticString) {
        if needsComma { append(",") }
        append(text)
        needsComma = false
    }

    /// Appends the end of a list or of an element; another element follows.
    private mutating func end(_ text: StaticString) {
        append(text)
        needsComma = true
    }
}

extension Date {
    /// The time since 1970 in nanoseconds; 0 for earlier times.
    fileprivate var unixNanoseconds: UInt64 { UInt64(max(timeIntervalSince1970, 0) * 1e6) &* 1000 }
}
