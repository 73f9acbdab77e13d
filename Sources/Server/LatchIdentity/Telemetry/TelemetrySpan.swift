// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import PortableFoundation

/// A finished piece of work within a trace.
struct TelemetrySpan: Sendable {
    /// The role of the span.
    enum Kind: Sendable {
        case server, client, `internal`
    }

    /// The value of an attribute.
    enum Value: Sendable, Hashable {
        case text(String)
        case number(Int)
    }

    let name: String
    let kind: Kind
    let trace: TraceContext
    /// The identifier of the span that it is part of; nil for the first one of a trace.
    let parentID: String?
    let start: Date
    let duration: Duration
    var attributes: [(key: String, value: Value)] = []
    var isFailed = false
}

/// The span of the request that the current task handles.
struct CurrentSpan: Sendable {
    /// The span of the current task; nil outside of requests, and without a collector.
    @TaskLocal static var value: CurrentSpan?

    let trace: TraceContext
    let exporter: TelemetryExporter
}

extension TelemetrySpan {
    /// The span as the protocol has it.
    var message: OTLPTraceSpan {
        var message = OTLPTraceSpan()
        message.traceId = Data(Hex.decode(trace.traceID, count: 16) ?? [])
        message.spanId = Data(Hex.decode(trace.spanID, count: 8) ?? [])
        message.traceState = trace.tracestate
        message.parentSpanId = Data(parentID.flatMap { Hex.decode($0, count: 8) } ?? [])
        message.name = name
        message.kind =
            switch kind {
            case .server: .server
            case .client: .client
            case .internal: .internal
            }
        let start = start.unixNanoseconds
        message.startTimeUnixNano = start
        message.endTimeUnixNano = start &+ UInt64(max(duration.inSeconds, 0) * 1e9)
        message.attributes = attributes.map { OTLPAttribute($0.key, $0.value) }
        if isFailed { message.status = OTLPSpanStatus(code: .error) }
        // The W3C flags in the lowest byte.
        message.flags = trace.isSampled ? 1 : 0
        return message
    }
}

extension OTLPAttribute {
    init(_ key: String, _ value: TelemetrySpan.Value) {
        let value: OTLPAttributeValue.Value =
            switch value {
            case .text(let text): .text(text)
            case .number(let number): .number(Int64(number))
            }
        self.init(key: key, value: OTLPAttributeValue(value: value))
    }
}

extension Date {
    /// The time since 1970 in nanoseconds; 0 before.
    var unixNanoseconds: UInt64 { UInt64(max(timeIntervalSince1970, 0) * 1e6) &* 1000 }
}
