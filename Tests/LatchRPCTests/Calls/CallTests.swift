// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchRPC
import Testing

@Suite(.timeLimit(.minutes(2))) struct CallTests {
    @Test(arguments: CallStyle.all)
    func `A call over a socket exchanges single messages`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            for size in [0, 10, 100_000] {
                let note = Note(text: "grüße ☃", number: -7, data: [UInt8](repeating: 200, count: size))
                try await expectEqual(channel.unary(Notes.echo, note).message, note)
            }
            try await expectEqual(channel.unary(Notes.echo, Note()).message, Note())
        }
    }

    @Test(arguments: CallStyle.all)
    func `A call over a socket receives many messages in order`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            let note = Note(number: 300, data: [UInt8](repeating: 1, count: 1000))
            let answer = try await collect(try await channel.serverStream(Notes.count, note))
            expectEqual(answer.notes.map(\.number), Array(0..<300))
            #expect(answer.notes.allSatisfy { $0.data.count == 1000 })
            #expect(try await collect(try await channel.serverStream(Notes.count, Note())).notes.isEmpty)
        }
    }

    @Test(arguments: CallStyle.all) func `A call over a socket sends many messages`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            let notes = (0..<50).map { Note(text: "\($0)", number: $0) }
            let answer = try await channel.clientStream(Notes.add, RPCStream(notes))
            expectEqual(answer.message.number, 1225)
            #expect(answer.message.text.hasPrefix("0,1,2,"))
            try await expectEqual(channel.clientStream(Notes.add, RPCStream([])).message, Note())
        }
    }

    @Test(arguments: CallStyle.all)
    func `A call over a socket sends and receives many messages`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            let notes = (0..<50).map { Note(number: $0) }
            let written = RPCStream<Note> { writer in
                for note in notes { try await writer.send(note) }
            }
            let answer = try await collect(try await channel.bidirectional(Notes.talk, written))
            expectEqual(answer.notes.map(\.number), Array(1...50))
        }
    }

    @Test(arguments: CallStyle.all)
    func `A call over a socket transfers metadata and trailers`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            var options = CallOptions(metadata: ["x-ask": "one"])
            options.metadata.appendBinary([0, 255, 1], for: "x-ask-bin")
            let one = try await channel.unary(Notes.echo, Note(), options)
            expectEqual(one.metadata["x-answer"], "one")
            expectEqual(one.trailers["x-after"], "one")
            expectEqual(one.trailers.binaryValues(of: "x-after-bin"), [[0, 255, 1]])
            expectNil(one.metadata["x-after"])
            let many = try await channel.serverStream(Notes.count, Note(number: 2), options)
            expectEqual(many.metadata["x-answer"], "one")
            expectNil(many.trailers["x-after"])
            let answer = try await collect(many)
            expectEqual(answer.trailers["x-after"], "one")
            expectEqual(answer.trailers.binaryValues(of: "x-after-bin"), [[0, 255, 1]])
        }
    }

    @Test(arguments: CallStyle.plain)
    func `A call over a socket also works without a socket`(style: CallStyle) async throws {
        let channel = try style.channel("http://localhost", through: RPCService(NotesService().handlers))
        try await expectEqual(channel.unary(Notes.echo, Note(text: "a")).message.text, "a")
        let answer = try await collect(try await channel.serverStream(Notes.count, Note(number: 3)))
        expectEqual(answer.notes.map(\.number), [0, 1, 2])
        await #expect(throws: RPCError.notFound) {
            try await channel.unary(Notes.echo, Note(text: "fail 5 none"))
        }
    }

    // In base64 the end of a message goes out with the next one.
    @Test(arguments: CallStyle.plain.filter { $0.style != .grpcWebText })
    func `A call over a socket is full-duplex if the transport is`(style: CallStyle)
        async throws
    {
        let channel = try style.channel("http://localhost", through: RPCService(NotesService().handlers))
        let (asks, ask) = AsyncStream<Note>.makeStream()
        let answers = try await channel.bidirectional(Notes.talk, RPCStream(asks))
        var iterator = answers.makeAsyncIterator()
        for number in Int32(0)..<5 {
            ask.yield(Note(number: number))
            try await expectEqual(iterator.next()?.number, number + 1)
        }
        ask.finish()
        try await expectNil(iterator.next())
    }

    @Test func `A call over a socket includes the path of the channel's URL`() async throws {
        let service = RPCService(NotesService().handlers)
        let seen = ClosureHandler { request in
            expectEqual(request.path, "/api/v1/latch.test.v1.Notes/Echo")
            expectEqual(request.template, "/latch.test.v1.Notes/Echo")
            return try await service.respond(to: request)
        }
        let channel = try RPCChannel("http://localhost/api/v1/", through: seen)
        try await expectEqual(channel.unary(Notes.echo, Note(text: "a")).message.text, "a")
    }

    @Test func `A call over a socket passes through interceptors like any request`() async throws {
        try await withServedNotes { url in
            let channel = try CallStyle(style: .connect).channel(
                url, interceptors: [HeaderInterceptor(["User-Agent": "from an interceptor"])])
            try await expectEqual(channel.unary(Notes.echo, Note(text: "who")).message.text, "from an interceptor")
        }
    }

    @Test func `A call over a socket is refused over plain http to another host`() {
        #expect(throws: HTTPError.insecureURL) { try RPCChannel("http://example.com") }
        #expect(throws: HTTPError.invalidURL) { try RPCChannel("https://example.com/?a=b") }
        #expect(throws: HTTPError.invalidURL) { try RPCChannel("example.com") }
        #expect(throws: Never.self) {
            try RPCChannel("http://example.com", allowingInsecureHTTP: .anyHostWithoutEncryption)
        }
    }
}
