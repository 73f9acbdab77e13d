// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP

/// A finished operation within a trace.
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
    /// The identifier of the parent span; nil for the first span of a trace.
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
    let recorder: any SpanRecorder
}

/// What finished spans are recorded to, with the clock and the identifiers of its spans.
protocol SpanRecorder: Sendable {
    var clock: WallClock { get }
    var random: RandomSource { get }

    /// Records a span, without waiting.
    func record(_ span: TelemetrySpan)
}
