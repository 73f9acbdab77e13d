// SPDX-License-Identifier: Apache-2.0

import Expectations
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
                expectEqual(out["answer"], "one")
                expectEqual(out["read"], "by get?")
                expectEqual(out["fail"], ["not_found", "nicht gefunden: ö%", [["latch.test.v1.Note", "detail", 5]]])
                expectEqual(out["late"], ["failed_precondition", "late", [["latch.test.v1.Note", "detail", 9]]])
                expectEqual(out["wait"]?[0], "deadline_exceeded")
                expectEqual(out["secret"], ["internal", "The method failed.", []])
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
            expectEqual(out["answer"], "one")
            expectEqual(out["trailers"], ["one", "ff00"])
            expectEqual(out["fail"], [5, "nicht gefunden: ö%", [["detail", 5]]])
            expectEqual(out["late"], [9, "late", [["detail", 9]]])
            expectEqual(out["wait"]?[0], 4)
            expectEqual(out["secret"], [13, "The method failed.", []])
            expectEqual(out["unknown"]?[0], 12)
        }
    }

    private func checkResponses(_ out: JSONValue) throws {
        expectEqual(out["echo"], ["grüße", 7, 4000])
        expectEqual(out["count"], [0, 1, 2, 3, 4])
        expectEqual(out["add"], 6)
        expectEqual(out["talk"], [1, 2, 3, 4])
        #expect((1...31).contains(try #require(out["time"]?.intValue)))
    }
}
