// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchHTTP

/// A finished operation within a trace.
package struct TelemetrySpan: Sendable {
    /// The role of the span.
    package enum Kind: Sendable {
        case server, client, `internal`
    }

    /// The value of an attribute.
    package enum Value: Sendable, Hashable {
        case text(String)
        case number(Int)
    }

    package let name: String
    package let kind: Kind
    package let trace: TraceContext
    /// The identifier of the parent span; nil for the first span of a trace.
    package let parentID: String?
    package let start: Date
    package let duration: Duration
    package var attributes: [(key: String, value: Value)] = []
    package var isFailed = false

    package init(
        name: String, kind: Kind, trace: TraceContext, parentID: String?, start: Date, duration: Duration,
        attributes: [(key: String, value: Value)] = [], isFailed: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.trace = trace
        self.parentID = parentID
        self.start = start
        self.duration = duration
        self.attributes = attributes
        self.isFailed = isFailed
    }
}

/// The span of the request that the current task handles.
package struct CurrentSpan: Sendable {
    /// The span of the current task; nil outside of requests, and without a collector.
    @TaskLocal package static var value: CurrentSpan?

    package let trace: TraceContext
    package let recorder: any SpanRecorder

    package init(trace: TraceContext, recorder: any SpanRecorder) {
        self.trace = trace
        self.recorder = recorder
    }
}

/// What finished spans are recorded to, with the clock and the identifiers of its spans.
package protocol SpanRecorder: Sendable {
    var clock: WallClock { get }
    var random: RandomSource { get }

    /// Records a span, without waiting.
    func record(_ span: TelemetrySpan)
}
