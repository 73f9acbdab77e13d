// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC
import Testing

@Suite(
    .enabled(Comment(rawValue: RPCPeers.hint)) { await RPCPeers.install() }, .timeLimit(.minutes(3)), .serialized)
struct ClientPeerTests {
    @Test(arguments: ["connect", "grpc-web"], ["proto", "json"])
    func `The server interoperates with connectrpc's client`(style: String, codec: String) async throws {
        try await withServedNotes { url in
            for compression in ["gzip", "identity"] {
                let text = try await PeerProcess.run("connect_client.py", [url, style, codec, compression])
                let out = try JSONValue(parsing: text)
                try checkResponses(out)
                #expect(out["answer"] == "one")
                #expect(out["read"] == "by get?")
                #expect(out["fail"] == ["not_found", "nicht gefunden: ö%", [["latch.test.v1.Note", "detail", 5]]])
                #expect(out["late"] == ["failed_precondition", "late", [["latch.test.v1.Note", "detail", 9]]])
                #expect(out["wait"]?[0] == "deadline_exceeded")
                #expect(out["secret"] == ["internal", "The method failed.", []])
            }
        }
    }

    @Test(arguments: [[], ["gzip"]], [false, true])
    func `The server interoperates over gRPC with grpcio's client, directly and behind Envoy`(
        options: [String], isBehindProxy: Bool
    ) async throws {
        try await withServedNotes { url in
            var port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            let proxy = isBehindProxy ? try await PeerProcess("envoy_proxy.py", ["front", String(port)]) : nil
            port = proxy?.port ?? port
            let out = try JSONValue(
                parsing: try await PeerProcess.run(
                    "grpc_client.py", ["127.0.0.1:\(port)"] + options + (isBehindProxy ? [] : ["in-turn"])))
            try checkResponses(out)
            #expect(out["answer"] == "one")
            #expect(out["trailers"] == ["one", "ff00"])
            #expect(out["fail"] == [5, "nicht gefunden: ö%", [["detail", 5]]])
            #expect(out["late"] == [9, "late", [["detail", 9]]])
            #expect(out["wait"]?[0] == 4)
            #expect(out["secret"] == [13, "The method failed.", []])
            #expect(out["unknown"]?[0] == 12)
        }
    }

    private func checkResponses(_ out: JSONValue) throws {
        #expect(out["echo"] == ["grüße", 7, 4000])
        #expect(out["count"] == [0, 1, 2, 3, 4])
        #expect(out["add"] == 6)
        #expect(out["talk"] == [1, 2, 3, 4])
        #expect((1...31).contains(try #require(out["time"]?.intValue)))
    }
}
