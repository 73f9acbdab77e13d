// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

/// What RFC 7541 requires of a server, section by section.
@Suite struct HPACKConformanceTests {
    @Test func `RFC 7541 2.3.3, 6.1: an index that is in no table is COMPRESSION_ERROR`() async throws {
        try await HTTP2ConformanceTests.connectionEnds(
            .compression, after: [.headers(1, HPACK.request("GET", "/") + [0xC6])])
        try await HTTP2ConformanceTests.connectionEnds(
            .compression, after: [.headers(1, HPACK.request("GET", "/") + [0x80])])
    }

    @Test func `RFC 7541 4.2, 6.3: a change of the table's size comes first, and within SETTINGS`()
        async throws
    {
        let request = HPACK.request("GET", "/")
        try await HTTP2ConformanceTests.answers(200, to: [.headers(1, [0x20] + request)])
        try await HTTP2ConformanceTests.connectionEnds(.compression, after: [.headers(1, request + [0x20])])
        try await HTTP2ConformanceTests.connectionEnds(
            .compression, after: [.headers(1, HPACK.integer(4097, prefix: 5, pattern: 0x20) + request)])
    }

    @Test func `RFC 7541 5.2: padding of Huffman codes is short, of ones, and has no end of string`() async throws {
        let line: [UInt8] = [0x00, 0x81, 0xF3]  // A name of one letter, x.
        for value in [[0x82, 0x1F, 0xFF], [0x81, 0x18], [0x84, 0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
            try await HTTP2ConformanceTests.connectionEnds(
                .compression, after: [.headers(1, HPACK.request("GET", "/") + line + value)])
        }
    }

    @Test func `RFC 7541 6.2.1: an indexed field is found again`() async throws {
        let indexed: [UInt8] = [0x40] + HPACK.text("x-once") + HPACK.text("v")
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(
                .headers(1, HPACK.request("GET", "/") + indexed), .headers(3, HPACK.request("GET", "/") + [0xBE]))
            await expectEqual(client.answer(to: 3).fields["x-seen"], "x-once=v")
        }
    }
}

#endif
