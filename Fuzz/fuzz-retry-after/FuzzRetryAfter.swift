// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchFoundation
import LatchHTTP

/// Reads bytes as the two lines that say when to come back, and as a trace's parent: every wait is bounded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRetryAfter(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let lines = bytes(data, count).split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    let response = HTTPResponse(
        status: 503, fields: lines.count > 1 ? [.retryAfter: lines[0], .date: lines[1]] : [.retryAfter: lines[0]])
    if let delay = response.retryDelay(now: Date(timeIntervalSince1970: 1_800_000_000)) {
        hold(delay >= .zero && delay <= RetryAfter.longest, "the wait is bounded: \(delay)")
    }
    if let trace = TraceContext(traceparent: lines[0], tracestate: lines.count > 1 ? lines[1] : "") {
        hold(
            TraceContext(traceparent: trace.traceparent, tracestate: trace.tracestate) == trace,
            "\(trace.traceparent) reads back")
    }
    return 0
}
