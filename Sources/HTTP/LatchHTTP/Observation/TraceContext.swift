// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// The position of a request in a distributed trace (W3C Trace Context, level 1).
public struct TraceContext: Sendable, Hashable {
    /// The trace identifier: 32 hexadecimal digits, shared by all spans of the trace.
    public let traceID: String
    /// The span identifier: 16 hexadecimal digits, of one request.
    public let spanID: String
    /// Whether an upstream service records this trace (§3.2.2.5.1).
    package let isSampled: Bool
    /// The `tracestate` of other vendors (§3.3), unchanged; may be empty.
    package let tracestate: String
}

extension TraceContext {
    /// Creates a new trace.
    package init(isSampled: Bool = true, random: RandomSource = .system) {
        self.init(
            traceID: random.identifier(), spanID: Self.newSpan(random), isSampled: isSampled, tracestate: "")
    }

    /// Parses `traceparent` and `tracestate`, or returns nil if the first is invalid.
    ///
    /// §3.2.2: digits in lower case, and identifiers that are not all zeros. For unknown versions, the common prefix is
    /// parsed. §3.3.1: a tracestate that is too long or malformed is discarded.
    package init?(traceparent: String, tracestate: String = "") {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= 55, bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
            let version = Self.hexadecimal(bytes[0..<2]), version != "ff",
            version == "00" ? bytes.count == 55 : (bytes.count == 55 || bytes[55] == 0x2D),
            let traceID = Self.hexadecimal(bytes[3..<35]), traceID.utf8.contains(where: { $0 != 0x30 }),
            let spanID = Self.hexadecimal(bytes[36..<52]), spanID.utf8.contains(where: { $0 != 0x30 }),
            let flags = Self.hexadecimal(bytes[53..<55]).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        self.init(
            traceID: traceID, spanID: spanID, isSampled: flags & 1 == 1,
            tracestate: Self.isState(tracestate) ? tracestate : "")
    }

    /// Parses the fields of a message, or returns nil unless there is exactly one traceparent (§3.2).
    package init?(_ fields: HTTPFields) {
        let parents = fields.values(of: .traceparent)
        guard parents.count == 1 else { return nil }
        // §3.3.1.4: several lines form one list.
        self.init(traceparent: parents[0], tracestate: fields.values(of: .tracestate).joined(separator: ","))
    }

    /// Returns a new span of the same trace.
    ///
    /// - Parameter isSampled: Whether the span is recorded; nil for the parent's value.
    package func child(isSampled: Bool? = nil, random: RandomSource = .system) -> TraceContext {
        TraceContext(
            traceID: traceID, spanID: Self.newSpan(random), isSampled: isSampled ?? self.isSampled,
            tracestate: tracestate)
    }

    /// The value of `traceparent`, version 00.
    package var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    private static func newSpan(_ random: RandomSource) -> String { String(random.identifier().utf8.prefix(16)) ?? "" }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String? {
        let isLower = bytes.allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
        return isLower ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Whether a tracestate is valid: at most 512 characters (§3.3.1.5) and 32 members (§3.3.1.1).
    private static func isState(_ state: String) -> Bool {
        guard state.utf8.count <= 512 else { return false }
        let members = state.utf8.split(separator: 0x2C)
        return members.count <= 32 && state.utf8.allSatisfy { $0 == 0x09 || (0x20...0x7E).contains($0) }
            && members.allSatisfy { member in member.contains(0x3D) || member.allSatisfy(isBlank) }
    }
}

extension HTTPFieldName {
    /// W3C Trace Context §3.2.
    package static let traceparent: HTTPFieldName = "traceparent"
    /// W3C Trace Context §3.3.
    package static let tracestate: HTTPFieldName = "tracestate"
}

private enum RequestTrace: HTTPContextKey {
    static var defaultValue: TraceContext? { nil }
}

extension HTTPRequest {
    /// The trace context of the request; nil if it is not traced.
    ///
    /// A server's handler passes it on to the requests that it sends.
    public var trace: TraceContext? {
        get { context[RequestTrace.self] }
        set { context[RequestTrace.self] = newValue }
    }
}
