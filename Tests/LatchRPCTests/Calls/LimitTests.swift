// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchRPC
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct LimitTests {
    /// Three megabytes that no compression makes smaller.
    private static let noise: [UInt8] = {
        var random = SplitMix64(state: 7)
        return (0..<375_000).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    }()
    private let small = RPCLimits(messageBytes: 1000)

    @Test(arguments: CallStyle.all)
    func `The server rejects a message that is too large`(style: CallStyle) async throws {
        try await withServedNotes(limits: small) { url in
            let channel = try style.channel(url)
            let large = Note(data: (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0) })
            await #expect(throws: RPCError.resourceExhausted) { try await channel.unary(Notes.echo, large) }
            await #expect(throws: RPCError.resourceExhausted) {
                try await channel.clientStream(Notes.add, RPCStream([Note(), large]))
            }
            try await expectEqual(channel.unary(Notes.echo, Note(text: "a")).message.text, "a")
        }
    }

    @Test(arguments: CallStyle.all)
    func `The client rejects a message that is too large`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url, limits: small)
            let large = Note(number: 2, data: (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0) })
            await #expect(throws: RPCError.resourceExhausted) { try await channel.unary(Notes.echo, large) }
            await #expect(throws: RPCError.resourceExhausted) {
                _ = try await collect(try await channel.serverStream(Notes.count, large))
            }
        }
    }

    @Test(arguments: CallStyle.all.filter { $0.compression != nil })
    func `A message that is too large is rejected even if it is small when compressed`(style: CallStyle) async throws {
        try await withServedNotes(limits: RPCLimits(messageBytes: 100_000)) { url in
            let channel = try style.channel(url)
            // A megabyte of zeros is a kilobyte of gzip.
            let bomb = Note(data: [UInt8](repeating: 0, count: 1 << 20))
            await #expect(throws: RPCError.resourceExhausted) { try await channel.unary(Notes.echo, bomb) }
            await #expect(throws: RPCError.resourceExhausted) {
                try await channel.clientStream(Notes.add, RPCStream([bomb]))
            }
        }
    }

    @Test(arguments: ["connect+proto", "grpc-web+proto", "grpc+proto"])
    func `A message is rejected by its announced length, before its bytes arrive`(type: String) async throws {
        let service = RPCService(NotesService().handlers)
        // A gigabyte is announced, and nothing of it follows.
        let body = HTTPBody([0, 0x40, 0, 0, 0])
        let request = HTTPRequest(
            method: .post, authority: "a", path: "/latch.test.v1.Notes/Add",
            fields: [.contentType: "application/" + type], body: body)
        let channel = try RPCChannel(
            "http://localhost", through: ClosureHandler { _ in try await service.respond(to: request) },
            using: type.hasPrefix("connect") ? .connect : type.hasPrefix("grpc-web") ? .grpcWeb : .grpc)
        await #expect(throws: RPCError.resourceExhausted) { try await channel.clientStream(Notes.add, RPCStream([])) }
    }

    @Test(arguments: CallStyle.all)
    func `A message of a stream is limited by itself, and the stream can be longer`(style: CallStyle)
        async throws
    {
        let limits = RPCLimits(messageBytes: 200_000)
        var configuration = Server.Configuration()
        configuration.maximumBodyBytes = 4 << 20
        try await serving(RPCService(NotesService().handlers, limits: limits), configuration) { url in
            let note = Note(text: String(repeating: "a", count: 140_000), number: 1)
            let sum = try await style.channel(url).clientStream(Notes.add, RPCStream([note, note, note, note])).message
            expectEqual(sum.number, 4)
        }
    }

    @Test(arguments: CallStyle.all)
    func `A server with a smaller default limit rejects a large message with an RPC error`(
        style: CallStyle
    ) async throws {
        let service = RPCService(NotesService().handlers)
        try await serving(service, Server.Configuration()) { url in
            let channel = try style.channel(url)
            // More than forms may have, and in JSON still less than a message may.
            let large = Note(data: Self.noise)
            try await expectEqual(channel.unary(Notes.echo, large).message, large)
            let tooLarge = Note(data: Self.noise + Self.noise)
            for _ in 0..<2 {
                await #expect(throws: RPCError.resourceExhausted) { try await channel.unary(Notes.echo, tooLarge) }
                await #expect(throws: RPCError.resourceExhausted) {
                    try await channel.clientStream(Notes.add, RPCStream([large, large]))
                }
            }
            try await expectEqual(channel.unary(Notes.echo, Note(text: "a")).message.text, "a")
        }
    }

    @Test func `The size of a message is measured after decompression`() throws {
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        let compressed = try RPCCompression.gzip.compress(bytes)
        #expect(compressed.count < 2000)
        try expectEqual(RPCCompression.gzip.decompress(compressed, 1 << 20), bytes)
        #expect(throws: RPCError.resourceExhausted) {
            try RPCCompression.gzip.decompress(compressed, 1 << 20 - 1)
        }
    }
}
