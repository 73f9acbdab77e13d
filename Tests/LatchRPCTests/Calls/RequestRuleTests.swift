// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Synchronization
import Testing

@testable import LatchRPC

@Suite struct RequestRuleTests {
    private struct Note: RuledMessage {
        static let schema = MessageSchema("test.Note", "1 title string\n2 secret string")
        static let rules = MessageRules("title string.min_len=1\nsecret string.max_len=3")
        var storage: MessageStorage

        init(storage: MessageStorage) { self.storage = storage }

        init(_ title: String, secret: String = "") {
            storage = MessageStorage(Self.schema)
            storage[string: 0] = title
            storage[string: 1] = secret
        }
    }

    private static let add = RPCMethod<Note, Note>("test.Notes", "Add")
    private static let list = RPCMethod<Note, Note>("test.Notes", "List", kind: .serverStreaming)
    private static let upload = RPCMethod<Note, Note>("test.Notes", "Upload", kind: .clientStreaming)
    private static let chat = RPCMethod<Note, Note>("test.Notes", "Chat", kind: .bidirectional)

    private let titles = Received()

    private final class Received: Sendable {
        private let held = Mutex<[String]>([])
        var all: [String] { held.withLock { $0 } }
        func add(_ note: Note) { held.withLock { $0.append(note.storage[string: 0]) } }
    }

    private var handlers: [RPCMethodHandler] {
        let titles = titles
        return [
            .unary(Self.add) { note, _ in
                titles.add(note)
                return note
            },
            .serverStream(Self.list) { note, _ in
                titles.add(note)
                return RPCStream([note])
            },
            .clientStream(Self.upload) { notes, _ in
                for try await note in notes { titles.add(note) }
                return Note("done")
            },
            .bidirectional(Self.chat) { notes, _ in
                RPCStream { writer in
                    for try await note in notes {
                        titles.add(note)
                        try await writer.send(note)
                    }
                }
            },
        ]
    }

    private func channel(_ style: RPCProtocol, _ handlers: [RPCMethodHandler]) throws -> RPCChannel {
        try RPCChannel("https://test", through: RPCService(handlers), using: style)
    }

    private func error(_ body: () async throws -> Void) async -> RPCError? {
        do { try await body() } catch { return error as? RPCError }
        return nil
    }

    @Test(arguments: RPCProtocol.allCases)
    func `The rules of a request on the server are checked before a method is called, in each protocol`(
        style: RPCProtocol
    ) async throws {
        let channel = try channel(style, handlers)
        let refused = try #require(
            await error { _ = try await channel.unary(Self.add, Note("", secret: "hidden"), CallOptions()) })
        expectEqual(refused.status, .invalidArgument)
        expectEqual(refused.violations.map(\.path), ["title", "secret"])
        expectEqual(refused.violations.map(\.rule), ["string.min_len", "string.max_len"])
        #expect(!"\(refused)".contains("hidden"))
        let stream = await error {
            for try await _ in try await channel.serverStream(Self.list, Note(""), CallOptions()) {}
        }
        expectEqual(stream?.violations.map(\.path), ["title"])
        #expect(titles.all.isEmpty)
        try await expectEqual(channel.unary(Self.add, Note("a"), CallOptions()).message.storage[string: 0], "a")
    }

    @Test(arguments: RPCProtocol.allCases)
    func `The rules of a request on the server end a stream at the message that violates them`(style: RPCProtocol)
        async throws
    {
        let channel = try channel(style, handlers)
        let notes = [Note("a"), Note("b"), Note(""), Note("c")]
        let upload = await error { _ = try await channel.clientStream(Self.upload, RPCStream(notes), CallOptions()) }
        #expect(upload?.status == .invalidArgument && upload?.violations.map(\.path) == ["title"])
        expectEqual(titles.all, ["a", "b"])
        let chat = await error {
            for try await _ in try await channel.bidirectional(Self.chat, RPCStream(notes), CallOptions()) {}
        }
        #expect(chat?.status == .invalidArgument && chat?.violations.map(\.path) == ["title"])
        expectEqual(titles.all, ["a", "b", "a", "b"])
    }

    @Test(arguments: RPCProtocol.allCases)
    func `The rules of a request on the server hold for each message of a stream, by method`(style: RPCProtocol)
        async throws
    {
        let ruled = handlers.map { handler in
            handler.requiring("title", "must not be b") { (note: Note) in note.storage[string: 0] != "b" }
        }
        let channel = try channel(style, ruled)
        let notes = [Note("a"), Note("b"), Note("c")]
        let upload = await error { _ = try await channel.clientStream(Self.upload, RPCStream(notes), CallOptions()) }
        expectEqual(upload?.violations.map(\.path), ["title"])
        let chat = await error {
            for try await _ in try await channel.bidirectional(Self.chat, RPCStream(notes), CallOptions()) {}
        }
        expectEqual(chat?.violations.map(\.path), ["title"])
        let list = await error {
            for try await _ in try await channel.serverStream(Self.list, Note("b"), CallOptions()) {}
        }
        expectEqual(list?.violations.map(\.path), ["title"])
        expectEqual(titles.all, ["a", "a"])
    }

    @Test func `The rules of a request on the server are not checked for methods without them`() async throws {
        let channel = try channel(.connect, handlers.map(\.withoutRules))
        _ = try await channel.unary(Self.add, Note(""), CallOptions())
        expectEqual(titles.all, [""])
    }
}
