// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchProtoCompiler
import LatchRPC
import LatchReflection
import Testing

@Suite(
    .enabled(Comment(rawValue: RPCPeers.hint)) { await RPCPeers.install() }, .timeLimit(.minutes(2)), .serialized)
struct ReflectionPeerTests {
    @Test(arguments: ["v1", "v1alpha"], [false, true])
    func `Reflection with grpcio works from its client to our server`(
        version: String, isBehindProxy: Bool
    ) async throws {
        let descriptors = try Shelves.descriptors()
        let service = RPCService(try ReflectionService(descriptors: descriptors).rpcMethods)
        try await serving(service) { url in
            var port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            let proxy = isBehindProxy ? try await PeerProcess("envoy_proxy.py", ["front", String(port)]) : nil
            port = proxy?.port ?? port
            let arguments = ["127.0.0.1:\(port)", version]
            if !isBehindProxy {
                let listed = try await PeerProcess.run("reflect_client.py", arguments + ["in-turn"])
                try expectEqual(JSONValue(parsing: listed), ["shelf.v1.Borrowing", "shelf.v1.Shelves"])
            }
            let out = try JSONValue(
                parsing: try await PeerProcess.run("reflect_client.py", arguments + Shelves.names))
            expectEqual(out["services"], ["shelf.v1.Borrowing", "shelf.v1.Shelves"])
            let all: JSONValue = ["google.protobuf.Timestamp", "shelf.v1.Book", "shelf.v1.Shelf"]
            expectEqual(out["methods"]?["shelf.v1.Shelves.Find"], all)
            expectEqual(out["methods"]?["shelf.v1.Shelves.Watch"], all)
            expectEqual(out["methods"]?["shelf.v1.Borrowing.Borrow"], ["google.protobuf.Timestamp", "shelf.v1.Book"])
            // The files arrive as they were made, byte for byte.
            for file in try FileDescriptorSetBytes(descriptors).files {
                let text = try #require(out["files"]?[file.name]?.stringValue)
                expectEqual(Data(base64Encoded: text).map { Array($0) }, file.bytes)
            }
            expectEqual(out["numbers"], [100, 101])
            expectEqual(out["none"], [])
            expectEqual(out["extending"], ["shelf/extras.proto", "shelf/extras.proto"])
            expectEqual(out["missing"], [true, true, true, true])
            let symbols = try #require(out["symbols"])
            expectEqual(symbols["shelf.v1.Shelf"], "shelf/shelf.proto")
            expectEqual(symbols["shelf.v1.Shelf.books"], "shelf/shelf.proto")
            for name in ["Kind", "NOVEL", "origin"] {
                expectEqual(symbols["shelf.v1.Book.\(name)"], "shelf/book.proto")
            }
            for name in ["label", "Extras.depth"] { expectEqual(symbols["shelf.v1.\(name)"], "shelf/extras.proto") }
            for name in ["Shelves", "Shelves.Find"] { expectEqual(symbols["shelf.v1.\(name)"], "shelf/shelves.proto") }
            expectEqual(symbols["google.protobuf.Timestamp"], "google/protobuf/timestamp.proto")
        }
    }

    @Test func `Reflection with grpcio works from our client to its server`() async throws {
        let descriptors = try Shelves.descriptors()
        let file = FileManager.default.temporaryDirectory.appending(path: "latch-shelves-\(UUID().uuidString)")
        try Data(descriptors).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let peer = try await PeerProcess("reflect_server.py", [file.path])
        // grpcio serves v1alpha alone.
        let client = ReflectionClient(try CallStyle(style: .grpc).channel(peer.url, http2: true))
        try await ReflectionTests.checkResponses(of: client)
    }
}
