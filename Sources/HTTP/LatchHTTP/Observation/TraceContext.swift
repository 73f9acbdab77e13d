// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Where a request stands in a trace that runs through many programs (W3C Trace Context, level 1).
public struct TraceContext: Sendable, Hashable {
    /// The trace: 32 hexadecimal digits, the same for everything that one cause has brought about.
    public let traceID: String
    /// Who asks: 16 hexadecimal digits, of one request.
    public let spanID: String
    /// Whether somebody upstream keeps this trace (§3.2.2.5.1).
    public let isSampled: Bool
    /// What others on the way added, in `tracestate` (§3.3), as it came; empty for nothing.
    public let state: String

    /// The beginning of a trace.
    public init(isSampled: Bool = true, random: RandomSource = .system) {
        traceID = random.identifier()
        spanID = Self.newSpan(random)
        self.isSampled = isSampled
        state = ""
    }

    /// What a `traceparent` says, and a `tracestate` that comes with it; nil where the first cannot be used.
    ///
    /// §3.2.2: lower-case digits, no zeros for an identifier, and of a version that is not known the beginning, which
    /// is the same in all of them. §3.3.1: of a state that is too long or malformed nothing is kept.
    public init?(parent: String, state: String = "") {
        let bytes = Array(parent.utf8)
        guard bytes.count >= 55, bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
            let version = Self.hexadecimal(bytes[0..<2]), version != "ff",
            version == "00" ? bytes.count == 55 : (bytes.count == 55 || bytes[55] == 0x2D),
            let traceID = Self.hexadecimal(bytes[3..<35]), traceID.utf8.contains(where: { $0 != 0x30 }),
            let spanID = Self.hexadecimal(bytes[36..<52]), spanID.utf8.contains(where: { $0 != 0x30 }),
            let flags = Self.hexadecimal(bytes[53..<55]).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        self.traceID = traceID
        self.spanID = spanID
        isSampled = flags & 1 == 1
        self.state = Self.isState(state) ? state : ""
    }

    /// What the fields of a message say; nil where there is no trace, or more than one (§3.2).
    public init?(_ fields: HTTPFields) {
        let parents = fields.values(of: .traceparent)
        guard parents.count == 1 else { return nil }
        // §3.3.1.4: several lines are one list.
        self.init(parent: parents[0], state: fields.values(of: .tracestate).joined(separator: ","))
    }

    private init(traceID: String, spanID: String, isSampled: Bool, state: String) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// The same trace for a request of our own.
    public func child(random: RandomSource = .system) -> TraceContext {
        TraceContext(traceID: traceID, spanID: Self.newSpan(random), isSampled: isSampled, state: state)
    }

    /// What `traceparent` says, in version 00.
    public var parent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    private static func newSpan(_ random: RandomSource) -> String { String(random.identifier().utf8.prefix(16)) ?? "" }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String? {
        let isLower = bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isLower ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// §3.3.1.5 asks for 512 characters at least to be passed on; §3.3.1.1 for no more than 32 members.
    private static func isState(_ state: String) -> Bool {
        guard state.utf8.count <= 512 else { return false }
        let members = state.utf8.split(separator: 0x2C)
        return members.count <= 32 && state.utf8.allSatisfy { $0 == 0x09 || (0x20...0x7E).contains($0) }
            && members.allSatisfy { member in member.contains(0x3D) || member.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
    }
}

extension HTTPFieldName {
    /// W3C Trace Context §3.2.
    public static let traceparent: HTTPFieldName = "traceparent"
    /// W3C Trace Context §3.3.
    public static let tracestate: HTTPFieldName = "tracestate"
}

/// The trace that a request is part of.
private enum RequestTrace: HTTPContextKey {
    static var defaultValue: TraceContext? { nil }
}

extension HTTPRequest {
    /// Where the request stands in a trace; nil where nobody traces it.
    ///
    /// On a server it is what the handler hands to the requests that it makes itself.
    public var trace: TraceContext? {
        get { context[RequestTrace.self] }
        set { context[RequestTrace.self] = newValue }
    }
}
