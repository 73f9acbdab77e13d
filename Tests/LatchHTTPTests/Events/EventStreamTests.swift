// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

/// A server of event streams that answers each connection as the script says, and a clock that notes the waits.
private final class Feed: Sendable {
    enum Response: Sendable {
        /// Content that ends, as a connection that the server closes.
        case stream([String])
        /// Content that breaks off.
        case broken([String])
        /// Content after which nothing comes, and no end.
        case silent([String])
        /// A failed connection.
        case offline
        case response(HTTPResponse)
    }

    let requests = Recording<HTTPRequest>()
    let waits = Recording<Duration>()
    private let answers: Mutex<[Response]>

    /// The function that replaces waiting.
    private let sleep: @Sendable (Duration) async throws -> Void
    /// Called when a connection has no more data and stays open.
    private let hangs: (@Sendable () -> Void)?

    init(
        _ answers: [Response], hangs: (@Sendable () -> Void)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) {
        self.answers = Mutex(answers.reversed())
        self.hangs = hangs
        self.sleep = sleep
    }

    func events(
        interceptors: [any Interceptor] = [], after id: String = "",
        reconnection: ReconnectionPolicy = ReconnectionPolicy()
    ) throws -> EventStream {
        let transport = ClosureHandler { request in
            self.requests.add(request)
            return try self.next()
        }
        let client = Client(
            baseURL: try #require(URL(string: "https://h")), transport: transport, interceptors: interceptors)
        let clock = WallClock(
            now: { Date() },
            sleep: {
                self.waits.add($0)
                try await self.sleep($0)
            })
        return client.events(
            .get("feed"), after: id, reconnection: reconnection, clock: clock,
            random: RandomSource { .max })
    }

    private func next() throws -> HTTPResponse {
        let fields: HTTPFields = [.contentType: "text/event-stream; charset=utf-8"]
        switch answers.withLock({ $0.popLast() }) {
        case .stream(let texts): return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(pieces(texts)))
        case .broken(let texts):
            return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(pieces(texts, then: .offline)))
        case .silent(let texts):
            let hangs = hangs
            let stream = HTTPBodyStream {
                let rest = Mutex(texts[...])
                return {
                    if let text = rest.withLock({ $0.popFirst() }) { return Array(text.utf8) }
                    hangs?()
                    try await untilCancelled()
                    return nil
                }
            }
            return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(stream))
        case .response(let response): return response
        case .offline: throw HTTPError.offline
        case nil: return HTTPResponse(status: .noContent)
        }
    }
}

/// Reads to the end, or to the error.
private func read(_ stream: EventStream) async -> (data: [String], error: HTTPError?) {
    var data: [String] = []
    do {
        for try await event in stream { data.append(event.data) }
        return (data, nil)
    } catch {
        return (data, error as? HTTPError)
    }
}

@Suite struct EventStreamTests {
    @Test func `A stream of events is requested as one and read over its pieces`() async throws {
        let feed = Feed([.stream(["data: a\n", "\ndata: b\n\nda", "ta: c\n\n"])])
        let (data, error) = await read(try feed.events(after: "6"))
        expectEqual(data, ["a", "b", "c"])
        expectNil(error)
        let request = try #require(feed.requests.entries.first)
        expectEqual(request.fields[.accept], "text/event-stream")
        expectEqual(request.fields[.cacheControl], "no-store")
        expectEqual(request.fields["Last-Event-ID"], "6")
        #expect(request.wantsStream)
        #expect(try #require(request.timeout) >= .seconds(3_600))
    }

    @Test func `A stream of events continues after a break from the last received event`() async throws {
        let feed = Feed([
            .stream(["id: 1\ndata: a\n\ndata: lost"]), .broken(["id: 2\ndata: b\n\n"]), .stream(["data: c\n\n"]),
        ])
        let (data, error) = await read(try feed.events())
        expectEqual(data, ["a", "b", "c"])
        expectNil(error)
        expectEqual(feed.requests.entries.map { $0.fields["Last-Event-ID"] }, [nil, "1", "2", "2"])
        // Up to half as long again, so that the clients of a server that restarts do not return at the same time.
        expectEqual(feed.waits.entries.count, 3)
        #expect(feed.waits.entries.allSatisfy { $0 > .seconds(4) && $0 <= .milliseconds(4500) })
    }

    @Test func `A stream of events waits as long as the server wishes, and longer after each failure`() async throws {
        let feed = Feed([
            .stream(["retry: 500\ndata: a\n\n"]), .offline, .offline, .offline, .stream(["data: b\n\n"]), .offline,
        ])
        let reconnection = ReconnectionPolicy(maximumDelay: .seconds(3))
        let (data, _) = await read(try feed.events(reconnection: reconnection))
        expectEqual(data, ["a", "b"])
        let seconds = feed.waits.entries.map {
            Double($0.components.attoseconds) / 1e18 + Double($0.components.seconds)
        }
        let expected = [0.75, 1, 2, 3, 0.75, 1]
        expectEqual(seconds.count, expected.count)
        for (wait, most) in zip(seconds, expected) { #expect(wait <= most && wait > most * 0.99) }
    }

    @Test func `A stream of events waits at most for the configured time, whatever the server wishes`() async throws {
        let feed = Feed([.stream(["retry: 99999999999999999999\ndata: a\n\n"])])
        _ = await read(try feed.events())
        expectEqual(feed.waits.entries, [.seconds(60)])
    }

    @Test func `A stream of events ends if the server has no more`() async throws {
        let feed = Feed([.response(HTTPResponse(status: .noContent))])
        let (data, error) = await read(try feed.events())
        #expect(data.isEmpty)
        expectNil(error)
        expectEqual(feed.requests.entries.count, 1)
    }

    @Test(arguments: [201, 206, 400, 401, 404, 500] as [HTTPStatus])
    func `A stream of events ends with the answer if that is not a stream`(status: HTTPStatus) async throws {
        let refusal = HTTPResponse(
            status: status, fields: [.contentType: "text/event-stream"], body: HTTPBody("data: x\n\n"))
        for before in [[], [Feed.Response.stream(["data: a\n\n"])]] {
            let feed = Feed(before + [.response(refusal), .stream(["data: b\n\n"])])
            let (data, error) = await read(try feed.events())
            expectEqual(data.count, before.count)
            expectEqual(error, .unacceptableStatus)
            expectEqual(error?.response?.status, status)
            expectEqual(feed.requests.entries.count, before.count + 1)
        }
    }

    @Test(arguments: [429, 502, 503, 504] as [HTTPStatus])
    func `A stream of events continues when a server that restarts has come back`(status: HTTPStatus) async throws {
        let feed = Feed([
            .stream(["data: a\n\n"]), .response(HTTPResponse(status: status)), .stream(["data: b\n\n"]),
        ])
        let (data, error) = await read(try feed.events())
        expectEqual(data, ["a", "b"])
        expectNil(error)
        let refused = await read(try Feed([.response(HTTPResponse(status: status))]).events())
        expectEqual(refused.error, .unacceptableStatus)
    }

    @Test func `A stream of events does not reconnect in a loop because the server wishes it`() async throws {
        let feed = Feed([.stream(["retry: 0\ndata: a\n\n"])])
        _ = await read(try feed.events())
        #expect(feed.waits.entries.allSatisfy { $0 >= .milliseconds(500) })
    }

    @Test func `A stream of events sends no identifier that a field cannot hold`() async throws {
        let feed = Feed([.stream(["id: a\u{1}b\ndata: a\n\n"])])
        _ = await read(try feed.events())
        expectEqual(feed.requests.entries.map { $0.fields["Last-Event-ID"] }, [nil, nil])
    }

    @Test(arguments: ["text/html", "application/json", "text/event-streams", nil])
    func `A stream of events ends with an error if the answer has another media type`(type: String?) async throws {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        let feed = Feed([.response(HTTPResponse(status: .ok, fields: fields, body: HTTPBody("data: a\n\n")))])
        let (data, error) = await read(try feed.events())
        #expect(data.isEmpty)
        expectEqual(error, .undecodable)
    }

    @Test func `A stream of events fails if the first connection does`() async throws {
        let feed = Feed([.offline, .stream(["data: a\n\n"])])
        let (data, error) = await read(try feed.events())
        #expect(data.isEmpty)
        expectEqual(error, .offline)
    }

    @Test func `A stream of events gives up after the configured number of failures in a row`() async throws {
        let feed = Feed([
            .stream(["data: a\n\n"]), .offline, .stream(["data: b\n\n"]), .offline, .offline, .stream(["data: c\n\n"]),
        ])
        let (data, error) = await read(try feed.events(reconnection: ReconnectionPolicy(maximumAttempts: 2)))
        expectEqual(data, ["a", "b"])
        expectEqual(error, .offline)
    }

    @Test func `A stream of events ends with its connection if it is not to reconnect`() async throws {
        let whole = await read(try Feed([.stream(["data: a\n\n"])]).events(reconnection: .never))
        expectEqual(whole.data, ["a"])
        expectNil(whole.error)
        let broken = await read(try Feed([.broken(["data: a\n\n"])]).events(reconnection: .never))
        expectEqual(broken.data, ["a"])
        expectEqual(broken.error, .offline)
    }

    @Test func `A stream of events ends with an error at an event without end, and does not reconnect`() async throws {
        let long = "data: " + String(repeating: "x", count: EventStreamParser.Limits().lineBytes)
        let feed = Feed([.stream(["data: a\n\n", long, "\n\n"]), .stream(["data: b\n\n"])])
        let stream = try feed.events()
        var iterator = stream.makeAsyncIterator()
        try await expectEqual(iterator.next()?.data, "a")
        await #expect(throws: HTTPError.tooLarge) { try await iterator.next() }
        try await expectNil(iterator.next())
        expectEqual(feed.requests.entries.count, 1)
    }

    @Test
    func `A stream of events is authorized for each connection, and again if the credential is refused`() async throws {
        let refused = HTTPResponse(status: .unauthorized)
        let feed = Feed([
            .stream(["id: 1\ndata: a\n\n"]), .response(refused), .stream(["data: b\n\n"]),
        ])
        let renewals = Mutex(0)
        let renewing = ClosureInterceptor { request, next in
            var request = request
            request.fields[.authorization] = "Bearer \(renewals.withLock { $0 })"
            let response = try await next.respond(to: request)
            guard response.status == .unauthorized else { return response }
            request.fields[.authorization] = "Bearer \(renewals.withLock { count in count += 1; return count })"
            return try await next.respond(to: request)
        }
        let (data, error) = await read(try feed.events(interceptors: [renewing]))
        expectEqual(data, ["a", "b"])
        expectNil(error)
        expectEqual(
            feed.requests.entries.map { $0.fields[.authorization] }, ["Bearer 0", "Bearer 0", "Bearer 1", "Bearer 1"])
        expectEqual(feed.requests.entries.map { $0.fields["Last-Event-ID"] }, [nil, "1", "1", "1"])
    }

    @Test func `A stream of events ends its wait when the task is canceled`() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let feed = Feed(
            [.stream(["data: a\n\n"])],
            sleep: { _ in
                start.yield()
                try await untilCancelled()
            })
        let stream = try feed.events()
        let task = Task { await read(stream) }
        for await _ in started { break }
        task.cancel()
        let (data, error) = await task.value
        expectEqual(data, ["a"])
        expectEqual(error, .cancelled)
    }

    @Test func `A stream of events reconnects if nothing comes for too long`() async throws {
        let hang = SharedResult<Bool>()
        let hasTimedOut = Mutex(false)
        let feed = Feed(
            [.silent(["id: 1\ndata: a\n\n", ": still here\n"]), .stream(["data: b\n\n"])],
            hangs: { hang.finish(.success(true)) },
            sleep: { wait in
                guard wait == .seconds(45) else { return }
                // The time passes once, when there is nothing to read.
                guard !hasTimedOut.withLock({ $0 }) else { return try await untilCancelled() }
                _ = try await hang.value()
                hasTimedOut.withLock { $0 = true }
            })
        let (data, error) = await read(try feed.events(reconnection: ReconnectionPolicy(idleTimeout: .seconds(45))))
        expectEqual(data, ["a", "b"])
        expectNil(error)
        expectEqual(feed.requests.entries.map { $0.fields["Last-Event-ID"] }, [nil, "1", "1"])
    }
}
