// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchHTTP
import LatchRPC
import Testing

@Suite struct FakeMethodTests {
    @Test func `A method of a fake service responds with its handler and records the requests`() async throws {
        let method = RPCFakeMethod<Note, Note>("a.B.Echo")
        await #expect(throws: RPCError.unimplemented) { try await method.call(Note(number: 1)) }
        method.handler = { note in Note(number: note.number + 1) }
        try await expectEqual(method.call(Note(number: 2)).number, 3)
        method.handler = { _ in throw RPCError(.notFound, "gone") }
        await #expect(throws: RPCError.notFound) { try await method.call(Note(number: 4)) }
        expectEqual(method.requests.map(\.number), [1, 2, 4])
    }

    @Test func `A method of a fake service names the method without a handler`() async {
        let method = RPCFakeMethod<Note, Note>("a.B.Echo")
        let error = await failure { _ = try await method.call(Note()) }
        expectEqual(error?.message.contains("a.B.Echo"), true)
    }

    @Test func `A method of a fake service records concurrent requests without losing one`() async throws {
        let method = RPCFakeMethod<Note, Note>("a.B.Echo")
        method.handler = { $0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in Int32(1)...200 { group.addTask { _ = try await method.call(Note(number: number)) } }
            try await group.waitForAll()
        }
        expectEqual(method.requests.map(\.number).sorted(), Array(1...200))
    }
}

@Suite struct ErrorDetailTests {
    private let details = [
        ProtoAny(typeURL: "a/latch.test.v1.Note", value: Data([0xFF])),
        ProtoAny(typeURL: "a/other.Kind", value: Data()),
        ProtoAny(typeURL: "b/latch.test.v1.Note", value: Data([0x10, 7])),
        ProtoAny(typeURL: "latch.test.v1.Note", value: Data([0x10, 9])),
    ]

    @Test func `The details of an error are found by their type, skipping unreadable ones`() {
        let error = RPCError(.aborted, details: details)
        expectEqual(error.detail(Note.self)?.number, 7)
        expectNil(error.detail(ProtoDuration.self))
        expectNil(RPCError(.aborted).detail(Note.self))
        expectNil(RPCError(.aborted, details: [details[0], details[3]]).detail(Note.self))
    }

    @Test(arguments: CallStyle.plain)
    func `The details of an error arrive in their order, with any content`(style: CallStyle)
        async throws
    {
        let service = RPCService([
            .unary(Notes.echo) { [details] _, _ in throw RPCError(.aborted, "a", details: details) }
        ])
        try await serving(service) { url in
            let channel = try style.channel(url)
            let error = await failure { _ = try await channel.unary(Notes.echo, Note()) }
            expectEqual(error?.details.map(\.value), details.map(\.value))
            expectEqual(error?.details.first?.typeName, "latch.test.v1.Note")
            expectEqual(error?.detail(Note.self)?.number, 7)
        }
    }
}

@Suite struct CallContextTests {
    @Test func `The context of a call is shared by its copies`() {
        let context = CallContext(path: "/a.B/Echo", metadata: ["x-ask": "1"])
        let copy = context
        copy.responseMetadata[.init("x-a")] = "1"
        copy.responseTrailers.append("2", for: "x-b")
        context.responseTrailers.append("3", for: "x-b")
        expectEqual(context.responseMetadata["x-a"], "1")
        expectEqual(copy.responseTrailers.values(of: "x-b"), ["2", "3"])
        #expect(context.deadline == nil && context.metadata["X-ASK"] == "1" && context.path == "/a.B/Echo")
    }
}
