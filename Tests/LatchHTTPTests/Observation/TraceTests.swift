// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

private let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

@Suite struct TraceTests {
    @Test func `A trace context has the values of its fields`() throws {
        let trace = try #require(
            TraceContext(traceparent: parent, tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"))
        expectEqual(trace.traceID, "0af7651916cd43dd8448eb211c80319c")
        expectEqual(trace.spanID, "b7ad6b7169203331")
        #expect(trace.isSampled)
        expectEqual(trace.tracestate, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
        expectEqual(trace.traceparent, parent)
    }

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("03", true), ("fe", false), ("ff", true)])
    func `A trace context is sampled by the last bit of the flags, and passes on no others`(
        flags: String, isSampled: Bool
    ) throws {
        let trace = try #require(TraceContext(traceparent: parent.dropLast(2) + flags))
        expectEqual(trace.isSampled, isSampled)
        #expect(trace.traceparent.hasSuffix(isSampled ? "-01" : "-00"))
    }

    @Test(
        arguments: [
            "", "00", "00-", parent + "-", parent + "x", " " + parent, parent.uppercased(), String(parent.dropLast()),
            "ff" + parent.dropFirst(2), "0x" + parent.dropFirst(2),
            "00-" + String(repeating: "0", count: 32) + "-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", parent.replacingOccurrences(of: "-", with: "_"),
            "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0G",
            "01" + parent.dropFirst(2) + "extra", "00-0af7651916cd43dd8448eb211c8031é-b7ad6b7169203331-01",
        ] as [String])
    func `A trace context is nil if the parent is malformed`(text: String) {
        expectNil(TraceContext(traceparent: text))
    }

    @Test(arguments: ["01" + parent.dropFirst(2), "fe" + parent.dropFirst(2) + "-and-more"])
    func `A trace context of a later version is read as far as this one knows it`(text: String) throws {
        try expectEqual(#require(TraceContext(traceparent: text)).traceparent, parent)
    }

    @Test func `A trace context keeps no state that is malformed or too long`() throws {
        let many = (0..<33).map { "k\($0)=v" }.joined(separator: ",")
        for state in ["novalue", "a=b,c", "a=\u{1}", "a=é", many, "a=" + String(repeating: "b", count: 511)] {
            #expect(try #require(TraceContext(traceparent: parent, tracestate: state)).tracestate.isEmpty)
        }
        for state in ["a=b", "a=b, ,c=d", "a@b=c;d"] {
            try expectEqual(#require(TraceContext(traceparent: parent, tracestate: state)).tracestate, state)
        }
    }

    @Test func `A trace context is nil if a message names two, and whole if its state has several lines`() {
        expectNil(TraceContext([.traceparent: parent, "Traceparent": parent]))
        expectNil(TraceContext([.tracestate: "a=b"]))
        expectEqual(
            TraceContext([.traceparent: parent, .tracestate: "a=b", .tracestate: "c=d"])?.tracestate, "a=b,c=d")
    }

    @Test func `A trace context begins with unique identifiers, and continues with one trace`() {
        let begun = (0..<100).map { _ in TraceContext() }
        expectEqual(Set(begun.map(\.traceID)).count, 100)
        expectEqual(Set(begun.map(\.spanID)).count, 100)
        #expect(begun.allSatisfy { TraceContext(traceparent: $0.traceparent) == $0 })
        let child = begun[0].child()
        expectEqual(child.traceID, begun[0].traceID)
        expectNotEqual(child.spanID, begun[0].spanID)
    }
}

@Suite struct TracedRequestTests {
    let messages = Recording<HTTPRequest>()

    private func client(_ trace: TraceInterceptor, others: [any Interceptor] = [], status: HTTPStatus = .ok)
        -> any Handler
    {
        ClosureHandler { [messages] request in
            messages.add(request)
            return HTTPResponse(status: messages.entries.count < 3 ? status : .ok)
        }
        .intercepted(by: others + [trace])
    }

    private func request(_ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(authority: "api.example.com", path: "/", fields: fields)
    }

    private let anywhere = TraceInterceptor(propagatingTo: { _ in true })

    @Test func `A traced request begins a trace, and sends it to allowed origins`() async throws {
        let trace = TraceInterceptor(propagatingTo: { $0.host == "api.example.com" })
        _ = try await client(trace).respond(to: request())
        let sent = try #require(messages.entries.first)
        expectEqual(TraceContext(sent.fields), sent.trace)
        expectNil(sent.fields[.tracestate])
        expectEqual(sent.trace?.isSampled, true)
    }

    @Test func `A traced request is sent to no origin by default, not even by the caller's own fields`() async throws {
        _ = try await client(TraceInterceptor()).respond(to: request([.traceparent: parent, .tracestate: "a=b"]))
        let sent = try #require(messages.entries.first)
        #expect(sent.fields.isEmpty)
        expectEqual(sent.trace?.traceID, "0af7651916cd43dd8448eb211c80319c")
    }

    @Test func `A traced request continues the trace of the fields, and of the context before it`() async throws {
        _ = try await client(anywhere).respond(to: request([.traceparent: parent, .tracestate: "a=b"]))
        let sent = try #require(messages.entries.first)
        expectEqual(sent.trace?.traceID, "0af7651916cd43dd8448eb211c80319c")
        expectNotEqual(sent.trace?.spanID, "b7ad6b7169203331")
        expectEqual(sent.fields[.tracestate], "a=b")
        var other = request([.traceparent: parent])
        let own = TraceContext(isSampled: false)
        other.trace = own
        _ = try await client(anywhere).respond(to: other)
        expectEqual(messages.entries.last?.trace?.traceID, own.traceID)
        expectEqual(messages.entries.last?.fields[.traceparent]?.hasSuffix("-00"), true)
    }

    @Test func `A traced request begins again if the fields are malformed`() async throws {
        _ = try await client(anywhere).respond(to: request([.traceparent: "00-bad", .tracestate: "a=b"]))
        let sent = try #require(messages.entries.first)
        #expect(TraceContext(sent.fields) != nil)
        expectNil(sent.fields[.tracestate])
    }

    @Test(arguments: [(0.0, 0), (1.0, 100), (0.25, 25)])
    func `A traced request is sampled at the configured rate`(share: Double, count: Int) async throws {
        var sampled = 0
        for hundredth in 0..<100 {
            // `unit()` is this many hundredths, and a half.
            let number = UInt64((Double(hundredth) + 0.5) / 100 * 0x1p53) << 11
            let trace = TraceInterceptor(propagatingTo: { _ in true }, sampling: share, random: RandomSource { number })
            _ = try await client(trace).respond(to: request())
            if messages.entries.last?.trace?.isSampled == true { sampled += 1 }
        }
        expectEqual(sampled, count)
    }

    @Test func `A traced request has a span for each attempt inside a retry, in one trace`() async throws {
        let retry = RetryInterceptor(clock: ManualClock().leapingClock())
        var outer = request()
        outer.trace = TraceContext()
        _ = try await client(anywhere, others: [retry], status: 503).respond(to: outer)
        expectEqual(messages.entries.count, 3)
        expectEqual(Set(messages.entries.compactMap { $0.trace?.traceID }).count, 1)
        expectEqual(Set(messages.entries.compactMap { $0.fields[.traceparent] }).count, 3)
    }

    @Test func `A traced request is sent again at each redirect, but not to other origins`() async throws {
        let transport = ClosureHandler { [messages] request in
            messages.add(request)
            let locations = ["https://api.example.com/b", "https://other.example/c", "https://api.example.com/d"]
            let number = messages.entries.count
            guard number <= locations.count else { return HTTPResponse(status: .ok) }
            return HTTPResponse(status: 302, fields: [.location: locations[number - 1]])
        }
        let client = Client(
            baseURL: try #require(URL(string: "https://api.example.com")), transport: transport,
            interceptors: [TraceInterceptor(propagatingTo: { $0.host == "api.example.com" })])
        _ = try await client.respond(to: request())
        expectEqual(messages.entries.map { $0.fields[.traceparent] != nil }, [true, true, false, true])
    }

    @Test func `A traced request is available to a server's handler, which passes it on`() async throws {
        let handed = Recording<TraceContext?>()
        let server = ClosureHandler { request in
            handed.add(request.trace)
            return HTTPResponse(status: .ok)
        }
        try await bothWays(server.intercepted(by: [TraceInterceptor()])) { api in
            _ = try await api.respond(
                to: HTTPRequest(authority: "localhost", path: "/", fields: [.traceparent: parent]))
        }
        expectEqual(handed.entries.map { $0?.traceID }, Array(repeating: "0af7651916cd43dd8448eb211c80319c", count: 2))
    }
}
