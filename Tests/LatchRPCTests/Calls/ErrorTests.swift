// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct ErrorTests {
    private static func error(_ body: () async throws -> Void) async throws -> RPCError {
        do {
            try await body()
        } catch let error as RPCError {
            return error
        }
        throw Missing()
    }

    private struct Missing: Error {}

    @Test(arguments: CallStyle.all)
    func `The error of a call has its code, its text and its details`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            for code in RPCCode.allCases {
                let error = try await Self.error {
                    _ = try await channel.unary(Notes.echo, Note(text: "fail \(code.rawValue) 100 % schön\n\"ok\""))
                }
                expectEqual(error.status, code)
                expectEqual(error.code, code.name)
                expectEqual(error.message, "100 % schön\n\"ok\"")
                expectEqual(error.detail(Note.self), Note(text: "detail", number: Int32(code.rawValue)))
                expectNil(error.detail(RPCStatus.self))
                expectEqual(error.isRetryable, code == .unavailable)
            }
        }
    }

    @Test(arguments: CallStyle.all)
    func `The error of a call comes after the messages before it`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            let stream = try await channel.serverStream(
                Notes.count, Note(text: "fail 9 late", number: 3), CallOptions(metadata: ["x-ask": "one"]))
            var numbers: [Int32] = []
            let error = try await Self.error { for try await note in stream { numbers.append(note.number) } }
            expectEqual(numbers, [0, 1, 2])
            expectEqual(error.status, .failedPrecondition)
            expectEqual(error.message, "late")
            expectEqual(error.detail(Note.self)?.number, 9)
            expectEqual(error.metadata["x-after"], "one")
            expectEqual(error.metadata["x-answer"], "one")
        }
    }

    @Test(arguments: CallStyle.plain)
    func `The error of a call ends a call that is still sending`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            let notes = [Note(number: 1), Note(text: "fail 10 enough"), Note(number: 2)]
            let one = try await Self.error { _ = try await channel.clientStream(Notes.add, RPCStream(notes)) }
            expectEqual(one.status, .aborted)
            let many = try await Self.error {
                _ = try await collect(try await channel.bidirectional(Notes.talk, RPCStream(notes)))
            }
            expectEqual(many.status, .aborted)
        }
    }

    @Test(arguments: CallStyle.plain)
    func `The error of a call does not reveal an unexpected error of a method`(style: CallStyle)
        async throws
    {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            let error = try await Self.error { _ = try await channel.unary(Notes.echo, Note(text: "throw")) }
            expectEqual(error.status, .internal)
            #expect(!error.description.contains("Secret"))
            #expect(error.details.isEmpty)
        }
    }

    @Test(arguments: CallStyle.plain)
    func `The error of a call is reported to the server with the thrown error, once`(style: CallStyle)
        async throws
    {
        let reports = Mutex<[(path: String, error: RPCError)]>([])
        let service = RPCService(
            NotesService().handlers,
            admission: { if $0.metadata["x-ask"] == "nothing" { throw RPCError.permissionDenied } },
            onFailure: { error, context in reports.withLock { $0.append((context.path, error)) } })
        try await serving(service) { url in
            let channel = try style.channel(url)
            _ = try await channel.unary(Notes.echo, Note(text: "fine"))
            _ = try? await channel.unary(Notes.echo, Note(text: "throw"))
            _ = try? await collect(try await channel.serverStream(Notes.count, Note(text: "throw", number: 2)))
            let options = CallOptions(metadata: ["x-ask": "nothing"])
            _ = try? await channel.unary(Notes.echo, Note(text: "throw"), options)
        }
        let found = reports.withLock { $0 }
        expectEqual(found.map(\.path), [Notes.echo.path, Notes.count.path, Notes.echo.path])
        expectEqual(found.map(\.error.status), [.internal, .internal, .permissionDenied])
        expectEqual(found.map { $0.error.cause is NotesService.Secret }, [true, true, false])
    }

    @Test(arguments: CallStyle.all) func `The error of a call reports a missing method`(style: CallStyle)
        async throws
    {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            let nothing = RPCMethod<Note, Note>(Notes.service, "Nothing")
            await #expect(throws: RPCError.unimplemented) { try await channel.unary(nothing, Note()) }
            let elsewhere = RPCMethod<Note, Note>("latch.test.v1.Others", "Echo")
            await #expect(throws: RPCError.unimplemented) { try await channel.unary(elsewhere, Note()) }
        }
    }

    @Test(arguments: CallStyle.plain)
    func `The error of a call is unavailable without a listening server`(style: CallStyle) async throws {
        let channel = try style.channel("http://127.0.0.1:1")
        let error = try await Self.error { _ = try await channel.unary(Notes.echo, Note()) }
        expectEqual(error.status, .unavailable)
        #expect(error.isRetryable)
        expectEqual(error.cause as? HTTPError, .offline)
    }

    @Test func `The error of a call passes the errors of interceptors unchanged`() async throws {
        struct SignedOut: Error {}
        let interceptor = ClosureInterceptor { _, _ in throw SignedOut() }
        for style in CallStyle.plain {
            let channel = try style.channel("http://localhost", interceptors: [interceptor])
            await #expect(throws: SignedOut.self) { try await channel.unary(Notes.echo, Note()) }
        }
    }

    @Test(arguments: [
        (400, RPCCode.internal), (401, .unauthenticated), (403, .permissionDenied), (404, .unimplemented),
        (429, .unavailable), (502, .unavailable), (503, .unavailable), (504, .unavailable), (500, .unknown),
        (418, .unknown), (302, .unknown),
    ])
    func `The error of a call follows from the HTTP status of an intermediary`(status: Int, code: RPCCode) async throws
    {
        for style in CallStyle.plain {
            let page = ClosureHandler { _ in
                HTTPResponse(
                    status: HTTPStatus(rawValue: status), fields: [.contentType: "text/html"],
                    body: HTTPBody("<p>secret"))
            }
            let channel = try style.channel("http://localhost", through: page)
            let error = try await Self.error { _ = try await channel.unary(Notes.echo, Note()) }
            expectEqual(error.status, code)
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func `The error of a call has a name for each code and a code for each name`() {
        for code in RPCCode.allCases { expectEqual(RPCCode(name: code.name), code) }
        expectNil(RPCCode(name: "ok"))
        expectNil(RPCCode(name: "CANCELED"))
        expectNil(RPCCode(rawValue: 0))
        expectNil(RPCCode(rawValue: 17))
        expectEqual(RPCCode.deadlineExceeded.name, "deadline_exceeded")
    }
}
