// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import Testing

@Suite(
    .enabled(Comment(rawValue: RPCPeers.hint)) { await RPCPeers.install() }, .timeLimit(.minutes(3)), .serialized)
struct ServerPeerTests {
    @Test(arguments: [nil, RPCCompression.gzip].map { CallStyle(style: .grpc, compression: $0) })
    func `The client interoperates over gRPC with grpcio's server`(style: CallStyle) async throws {
        let peer = try await PeerProcess("grpc_server.py", style.compression == nil ? [] : ["gzip"])
        try await Exercise(try style.channel(peer.url, http2: true)).all()
    }

    @Test(arguments: CallStyle.all.filter { $0.style != .grpcWebText })
    func `The client interoperates with connectrpc's server`(style: CallStyle) async throws {
        let peer = try await PeerProcess("connect_server.py")
        // hypercorn speaks HTTP/2 from the first byte where it is spoken to so.
        try await Exercise(try style.channel(peer.url, http2: true)).all()
    }

    @Test(arguments: CallStyle.all.filter { $0.style == .connect || $0.style == .grpcWeb })
    func `The client interoperates with connectrpc's server over one request at a time`(style: CallStyle) async throws {
        let peer = try await PeerProcess("connect_server.py")
        try await Exercise(try style.channel(peer.url), isFullDuplex: false).all()
    }

    @Test func `The client sends a call without side effects by GET`() async throws {
        let peer = try await PeerProcess("connect_server.py")
        for codec in RPCCodec.allCases {
            for compression in [nil, RPCCompression.gzip] {
                let channel = try RPCChannel(peer.url, codec: codec, compression: compression, usesHTTPGet: true)
                try await expectEqual(channel.unary(Notes.read, Note(text: "method")).message.text, "GET")
                try await expectEqual(channel.unary(Notes.echo, Note(text: "method")).message.text, "POST")
                let note = Note(text: "ö&=+ %\"", data: [UInt8](repeating: 5, count: 1000))
                try await expectEqual(channel.unary(Notes.read, note).message, note)
                // What is too long for an address goes by POST.
                var random = SplitMix64(state: 1)
                let long = Note(
                    text: "method", data: (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) })
                try await expectEqual(channel.unary(Notes.read, long).message.text, "POST")
            }
        }
    }

    @Test(arguments: [RPCProtocol.grpcWeb, .grpcWebText])
    func `The client interoperates over gRPC-Web with Envoy in front of grpcio's server`(style: RPCProtocol)
        async throws
    {
        let peer = try await PeerProcess("grpc_server.py")
        let proxy = try await PeerProcess("envoy_proxy.py", ["web", "\(peer.port)"])
        try await Exercise(try CallStyle(style: style).channel(proxy.url), isFullDuplex: false).all()
    }
}
