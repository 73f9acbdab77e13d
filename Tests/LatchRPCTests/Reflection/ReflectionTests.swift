// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchProtoCompiler
import LatchRPC
import LatchReflection
import Testing

@Suite struct ReflectionTests {
    /// Fetches all of `Shelves` from any server.
    static func checkResponses(of client: ReflectionClient) async throws {
        #expect(Set(try await client.services()).isSuperset(of: ["shelf.v1.Borrowing", "shelf.v1.Shelves"]))
        let wanted = try FileDescriptorSetBytes(Shelves.descriptors())
        let fetched = try FileDescriptorSetBytes(
            try await client.descriptors(of: ["shelf.v1.Shelves", "shelf.v1.Borrowing"]))
        expectEqual(Set(fetched.files.map(\.name)), Set(wanted.files.map(\.name)))
        // Each after what it imports, so that it can be linked as it comes.
        #expect(Compiler.link(fetched.files.map(\.bytes), filesToGenerate: fetched.files.map(\.name)).isComplete)
        for file in wanted.files {
            let answer = try await client.file(named: file.name)
            try expectEqual(FileDescriptorSetBytes.name(of: #require(answer.first)), file.name)
        }
        let declaring = try await client.file(declaring: "shelf.v1.Book.Kind")
        try expectEqual(FileDescriptorSetBytes.name(of: #require(declaring.first)), "shelf/book.proto")
        let extending = try await client.file(extending: "shelf.v1.Shelf", number: 101)
        try expectEqual(FileDescriptorSetBytes.name(of: #require(extending.first)), "shelf/extras.proto")
        try await expectEqual(client.extensionNumbers(of: "shelf.v1.Shelf").sorted(), [100, 101])
        #expect(try await client.extensionNumbers(of: "shelf.v1.Book").isEmpty)
        await #expect(throws: RPCError.notFound) { try await client.file(named: "nowhere.proto") }
        await #expect(throws: RPCError.notFound) { try await client.file(declaring: "shelf.v1.Nothing") }
        await #expect(throws: RPCError.notFound) { try await client.file(extending: "shelf.v1.Shelf", number: 199) }
        await #expect(throws: RPCError.notFound) { try await client.extensionNumbers(of: "shelf.v1.Nothing") }
        await #expect(throws: RPCError.notFound) { try await client.descriptors(of: ["shelf.v1.Nothing"]) }
    }

    @Test(arguments: CallStyle.plain)
    func `The reflection of a server returns its descriptors, in any protocol`(style: CallStyle)
        async throws
    {
        let service = RPCService(try ReflectionService(descriptors: Shelves.descriptors()).rpcMethods)
        try await Self.checkResponses(of: ReflectionClient(try style.channel("http://localhost", through: service)))
    }

    @Test func `The reflection of a server lists the configured services`() async throws {
        let reflection = try ReflectionService(descriptors: Shelves.descriptors(), services: ["shelf.v1.Shelves"])
        let channel = try CallStyle(style: .connect).channel(
            "http://localhost", through: RPCService(reflection.rpcMethods))
        let client = ReflectionClient(channel)
        try await expectEqual(client.services(), ["shelf.v1.Shelves"])
        let bytes = try await client.descriptors()
        try expectEqual(FileDescriptorSetBytes(bytes).files.count, Shelves.names.count)
    }

    @Test func `The reflection of a server is missing without the reflection service`() async throws {
        let service = RPCService(NotesService().handlers)
        let client = ReflectionClient(try CallStyle(style: .connect).channel("http://localhost", through: service))
        await #expect(throws: RPCError.unimplemented) { try await client.services() }
    }

    @Test func `The reflection of a server cannot be created from malformed descriptors`() throws {
        #expect(throws: ProtoError.self) { try ReflectionService(descriptors: [0x0A, 0x7F, 1]) }
        #expect(throws: ProtoError.self) { try ReflectionService(descriptors: [0x0A, 0x02, 0x0A, 0x7F]) }
    }
}
