// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchRPC
import Testing

/// Makes every kind of call of the test service, whoever serves it.
struct Exercise {
    let channel: RPCChannel
    /// Whether messages go both ways at a time.
    var isFullDuplex = true
    private let limit = CallOptions(timeout: .seconds(60))

    init(_ channel: RPCChannel, isFullDuplex: Bool = true) {
        self.channel = channel
        self.isFullDuplex = isFullDuplex
    }

    func all() async throws {
        try await messages()
        try await fields()
        try await times()
        try await errors()
    }

    func messages() async throws {
        let note = Note(text: "grüße ☃", number: -7, data: [UInt8](repeating: 3, count: 50_000))
        try await expectEqual(channel.unary(Notes.echo, note, limit).message, note)
        try await expectEqual(channel.unary(Notes.echo, Note(), limit).message, Note())
        let counted = try await collect(
            try await channel.serverStream(Notes.count, Note(number: 100, data: [1]), limit))
        expectEqual(counted.notes.map(\.number), Array(0..<100))
        let notes = (0..<20).map { Note(text: "\($0)", number: $0) }
        try await expectEqual(channel.clientStream(Notes.add, RPCStream(notes), limit).message.number, 190)
        let talked = try await collect(try await channel.bidirectional(Notes.talk, RPCStream(notes), limit))
        expectEqual(talked.notes.map(\.number), Array(1...20))
        guard isFullDuplex else { return }
        let (asks, ask) = AsyncStream<Note>.makeStream()
        var answers = try await channel.bidirectional(Notes.talk, RPCStream(asks), limit).makeAsyncIterator()
        for number in Int32(0)..<5 {
            ask.yield(Note(number: number))
            try await expectEqual(answers.next()?.number, number + 1)
        }
        ask.finish()
        try await expectNil(answers.next())
    }

    func fields() async throws {
        var options = limit
        options.metadata = ["x-ask": "one"]
        options.metadata.appendBinary([0, 255, 1, 2], for: "x-ask-bin")
        let one = try await channel.unary(Notes.echo, Note(), options)
        expectEqual(one.metadata["x-answer"], "one")
        expectEqual(one.trailers["x-after"], "one")
        expectEqual(one.trailers.binaryValues(of: "x-after-bin"), [[0, 255, 1, 2]])
        let many = try await channel.serverStream(Notes.count, Note(number: 2), options)
        expectEqual(many.metadata["x-answer"], "one")
        try await expectEqual(collect(many).trailers["x-after"], "one")
    }

    func errors() async throws {
        for code in RPCCode.allCases {
            do {
                _ = try await channel.unary(Notes.echo, Note(text: "fail \(code.rawValue) 100 % schön"), limit)
                Issue.record("\(code) was no error")
            } catch let error as RPCError {
                expectEqual(error.status, code)
                expectEqual(error.message, "100 % schön")
                expectEqual(error.detail(Note.self)?.number, Int32(code.rawValue))
            }
        }
        var numbers: [Int32] = []
        do {
            let stream = try await channel.serverStream(Notes.count, Note(text: "fail 9 late", number: 3), limit)
            for try await note in stream { numbers.append(note.number) }
            Issue.record("the stream did not fail")
        } catch let error as RPCError {
            expectEqual(error.status, .failedPrecondition)
            expectEqual(error.message, "late")
            expectEqual(error.detail(Note.self)?.number, 9)
        }
        expectEqual(numbers, [0, 1, 2])
        let nothing = RPCMethod<Note, Note>(Notes.service, "Nothing")
        let error = await #expect(throws: RPCError.self) { try await channel.unary(nothing, Note(), limit) }
        // libcurl 7.88 may lose the answer of a server that gives it before it has the request (decision 0066).
        let isLost = error?.message.contains("libcurl lost the response") == true
        #expect(error?.status == .unimplemented || isLost)
    }

    func times() async throws {
        let response = try await channel.unary(Notes.echo, Note(text: "time"), CallOptions(timeout: .seconds(1000)))
        #expect((500...1000).contains(response.message.number))
        await #expect(throws: RPCError.deadlineExceeded) {
            try await channel.unary(Notes.echo, Note(text: "wait"), CallOptions(timeout: .milliseconds(200)))
        }
        let endless = try await channel.serverStream(Notes.count, Note(text: "forever"), limit)
        var iterator = endless.makeAsyncIterator()
        try await expectEqual(iterator.next()?.text, "more")
    }
}
