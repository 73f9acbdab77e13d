// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchRPC
import LatchServer
import Synchronization
import Testing

/// A compression that changes nothing and reports when it is undone.
private func marking(_ decompress: @escaping @Sendable () -> Void = {}) -> RPCCompression {
    RPCCompression(
        name: "mark", compress: { $0 },
        decompress: { bytes, limit in
            decompress()
            guard bytes.count <= limit else { throw RPCError.resourceExhausted }
            return bytes
        })
}

@Suite(.timeLimit(.minutes(2))) struct AdmissionTests {
    private enum Caller: HTTPContextKey {
        static var defaultValue: String { "" }
    }

    private func channel(_ style: RPCProtocol, _ url: String, _ compression: RPCCompression) throws -> RPCChannel {
        try RPCChannel(url, using: style, compression: compression, assumingHTTP2: false)
    }

    @Test(arguments: RPCProtocol.allCases)
    func `The admission of a call comes before its content is decompressed`(style: RPCProtocol) async throws {
        let count = Mutex(0)
        let service = RPCService(
            NotesService().handlers, compressions: [marking { count.withLock { $0 += 1 } }],
            admission: { context in
                guard context.metadata[.authorization] != nil else { throw RPCError(.unauthenticated, "Who are you?") }
            })
        try await serving(service) { url in
            let stranger = try channel(style, url, marking())
            let note = Note(text: String(repeating: "a", count: 1000))
            await #expect(throws: RPCError.unauthenticated) { try await stranger.unary(Notes.echo, note) }
            await #expect(throws: RPCError.unauthenticated) {
                try await stranger.clientStream(Notes.add, RPCStream([note]))
            }
            expectEqual(count.withLock { $0 }, 0)
            let known = CallOptions(metadata: [.authorization: "Bearer x"])
            try await expectEqual(stranger.unary(Notes.echo, note, known).message, note)
            expectEqual(count.withLock { $0 }, 1)
        }
    }

    @Test(arguments: RPCProtocol.allCases)
    func `The admission of a call can lower the limits of its messages, and pass on its findings`(style: RPCProtocol)
        async throws
    {
        let who = RPCMethodHandler.unary(Notes.echo) { (_: Note, context) in Note(text: context.http[Caller.self]) }
        let service = RPCService(
            [who], compressions: [marking()],
            admission: { context in
                context.http[Caller.self] = "ada"
                context.limits = RPCLimits(messageBytes: 100)
            })
        try await serving(service) { url in
            let channel = try channel(style, url, marking())
            try await expectEqual(channel.unary(Notes.echo, Note()).message.text, "ada")
            for size in [200, 1000] {
                let note = Note(text: String(repeating: "a", count: size))
                await #expect(throws: RPCError.resourceExhausted) { try await channel.unary(Notes.echo, note) }
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct LargeMessageTests {
    @Test func `A large message does not keep other requests waiting while it is decoded`() async throws {
        let (gate, begun) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self))
        let service = RPCService(
            NotesService().handlers,
            compressions: [
                marking {
                    begun.continuation.finish()
                    gate.wait()
                }
            ])
        try await serving(service, Server.Configuration()) { url in
            let slow = try RPCChannel(url, compression: marking())
            let large = Note(text: String(repeating: "a", count: 100_000))
            async let answer = slow.unary(Notes.echo, large)
            for await _ in begun.stream {}
            // One loop serves both connections.
            let quick = try RPCChannel(url)
            try await expectEqual(quick.unary(Notes.echo, Note(text: "b")).message.text, "b")
            gate.signal()
            try await expectEqual(answer.message, large)
        }
    }

    @Test func `A large message is charged for its decoded size before it is expanded and decoded`() async throws {
        let budget = MemoryBudget(limit: 1 << 24)
        let held = Mutex<[Int]>([])
        let look: @Sendable () -> Void = { held.withLock { $0.append(budget.heldBytes) } }
        let echo = RPCMethodHandler.unary(Notes.echo) { (note: Note, _) in
            look()
            return note
        }
        let content = try Note(text: String(repeating: "a", count: 1000)).serialized()
        var request = HTTPRequest(
            method: .post, authority: "localhost", path: Notes.echo.path,
            fields: [.contentType: "application/proto", .contentEncoding: "mark"], body: HTTPBody(content))
        request.context.memory = MemoryReservation(budget)
        let response = try await RPCService([echo], compressions: [marking(look)]).respond(to: request)
        expectEqual(response.status, .ok)
        // Gzip can make more of a thousand bytes than a small message has; what came out is held until the response.
        let (advance, rest) = (held.withLock { $0[0] }, held.withLock { $0[1] })
        #expect(advance >= 32 << 10)
        #expect((1000..<4000).contains(rest))
    }

    @Test(arguments: RPCProtocol.allCases)
    func `A large message counts against the server's memory with its expanded size, until it is answered`(
        style: RPCProtocol
    ) async throws {
        let service = RPCService(NotesService().handlers)
        var configuration = Server.Configuration()
        configuration.maximumContentBytes = 4 * 6 << 20
        try await serving(service, configuration) { url in
            let channel = try RPCChannel(url, using: style, compression: .gzip, assumingHTTP2: false)
            let fits = Note(data: [UInt8](repeating: 0, count: 400_000))
            for _ in 0..<30 { try await expectEqual(channel.unary(Notes.echo, fits).message, fits) }
            let tooLarge = Note(data: [UInt8](repeating: 0, count: 3_900_000))
            for _ in 0..<3 {
                await #expect(throws: RPCError.unavailable) { try await channel.unary(Notes.echo, tooLarge) }
            }
            try await expectEqual(channel.unary(Notes.echo, fits).message, fits)
        }
    }
}
