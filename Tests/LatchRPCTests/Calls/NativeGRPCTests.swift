// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchRPC
import LatchServer
import Testing

@Suite(.timeLimit(.minutes(2))) struct `gRPC over HTTP/2 with our own server` {
    static let styles = CallStyle.all.filter { $0.style == .grpc }

    @Test(arguments: styles) func `makes every kind of call, both ways at a time`(style: CallStyle) async throws {
        try await withServedNotes { url in try await Exercise(try style.channel(url, http2: true)).all() }
    }

    @Test func `makes calls at the same time over one connection`() async throws {
        try await withServedNotes { url in
            let channel = try CallStyle(style: .grpc).channel(url, http2: true)
            try await withThrowingTaskGroup { group in
                for number in Int32(0)..<60 {
                    group.addTask { try await channel.unary(Notes.echo, Note(number: number)).message.number == number }
                }
                for try await isSame in group { #expect(isSame) }
            }
        }
    }

    @Test func `names the methods whose messages are streamed`() {
        let paths = RPCService(NotesService().handlers).streamedContent
        #expect(paths == ["/\(Notes.service)/Add", "/\(Notes.service)/Talk"])
    }

    @Test func `ends a call whose message is too long, and serves the next one`() async throws {
        var limits = RPCLimits.standard
        limits.messageBytes = 1000
        try await withServedNotes(limits: limits) { url in
            let channel = try CallStyle(style: .grpc).channel(url, http2: true)
            let long = Note(data: [UInt8](repeating: 1, count: 5000))
            await #expect(throws: RPCError.resourceExhausted) {
                try await channel.clientStream(Notes.add, RPCStream([long, long]))
            }
            await #expect(throws: RPCError.resourceExhausted) { try await channel.unary(Notes.echo, long) }
            #expect(try await channel.unary(Notes.echo, Note(number: 3)).message.number == 3)
        }
    }
}
