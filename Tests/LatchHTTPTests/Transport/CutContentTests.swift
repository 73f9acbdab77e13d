// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

/// Contents whose coding ends too early, too late or again; see reports 8, 9 and 20 in Documentation/PublicReports.md.
@Suite(.timeLimit(.minutes(2))) struct CutContentTests {
    private let transport = CurlTransport()

    private static let hello = Array("hello".utf8)

    /// A content in a coding, by its name in the field.
    struct Coded: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        var testDescription: String { "\(name), \(bytes.count) bytes" }
    }

    private static let whole: [Coded] = [
        Coded(name: "gzip", bytes: Deflated.gzip(hello)), Coded(name: "x-gzip", bytes: Deflated.gzip(hello)),
        Coded(name: "deflate", bytes: Deflated.zlib(hello)), Coded(name: "deflate", bytes: Deflated.stored(hello)),
        Coded(name: "br", bytes: [0x0B, 0x02, 0x80] + hello + [0x03]),
        Coded(name: "zstd", bytes: [0x28, 0xB5, 0x2F, 0xFD, 0x20, 5, 0x29, 0, 0] + hello),
    ]

    private func isAccepted(_ name: String) async throws -> Bool {
        let server = try RawHTTPServer { _ in .response(body: "") }
        _ = try await transport.respond(to: server.request())
        let accepted = server.requests.last?.values(of: "Accept-Encoding").first ?? ""
        return accepted.contains(name.hasPrefix("x-") ? "gzip" : name)
    }

    /// Requests a content, whole and as a stream.
    private func contents(_ name: String, _ bytes: [UInt8], isChunked: Bool = false) async throws -> [[UInt8]] {
        let server = try RawHTTPServer { _ in
            var answer = RawHTTPServer.Response.text(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(name)\r\n"
                    + (isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(bytes.count)") + "\r\n\r\n")
            guard isChunked else {
                answer.bytes += bytes
                return answer
            }
            for byte in bytes { answer.bytes += Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8) }
            answer.bytes += Array("0\r\n\r\n".utf8)
            return answer
        }
        var contents: [[UInt8]] = []
        for streams in [false, true] {
            var request = server.request()
            request.wantsStream = streams
            contents.append(try await transport.respond(to: request).body.collected(upTo: 1 << 20))
        }
        return contents
    }

    @Test(arguments: whole, [false, true])
    func `Truncated compressed content is an error`(coded: Coded, isChunked: Bool) async throws {
        guard try await isAccepted(coded.name) else { return }
        for count in 1..<coded.bytes.count {
            await #expect(throws: HTTPError.malformedMessage, "\(count)") {
                try await contents(coded.name, Array(coded.bytes.prefix(count)), isChunked: isChunked)
            }
        }
        let whole = try await contents(coded.name, coded.bytes, isChunked: isChunked)
        expectEqual(whole, [Self.hello, Self.hello])
    }

    @Test(arguments: whole)
    func `Empty content may lack the end of its coding`(coded: Coded) async throws {
        try await expectEqual(contents(coded.name, []), [[], []])
    }

    @Test(arguments: whole.filter { $0.name != "zstd" })
    func `Only zeros can follow the end of compressed content`(coded: Coded) async throws {
        guard try await isAccepted(coded.name) else { return }
        let padded = coded.bytes + [UInt8](repeating: 0, count: 600)
        try await expectEqual(contents(coded.name, padded), [Self.hello, Self.hello])
        for rest: [UInt8] in [[1], [0, 0, 1], Array("hello".utf8)] {
            await #expect(throws: HTTPError.malformedMessage) { try await contents(coded.name, coded.bytes + rest) }
        }
    }

    // RFC 1952 §2.2 and RFC 8878 §3.
    @Test(arguments: whole.filter { $0.name.hasSuffix("gzip") || $0.name == "zstd" })
    func `Another member or frame can follow the end of compressed content`(coded: Coded) async throws {
        guard try await isAccepted(coded.name) else { return }
        let twice = coded.bytes + coded.bytes
        try await expectEqual(contents(coded.name, twice), [Self.hello + Self.hello, Self.hello + Self.hello])
        for count in coded.bytes.count + 1..<twice.count {
            await #expect(throws: HTTPError.malformedMessage, "\(count)") {
                try await contents(coded.name, Array(twice.prefix(count)))
            }
        }
    }

    @Test func `With several codings, truncation of any one is an error`() async throws {
        let twice = Deflated.zlib(Deflated.gzip(Self.hello))
        try await expectEqual(contents("gzip, deflate", twice), [Self.hello, Self.hello])
        try await expectEqual(
            contents(" GZIP ,,identity\r\nContent-Encoding: Deflate", twice), [Self.hello, Self.hello])
        let cut = Deflated.zlib(Array(Deflated.gzip(Self.hello).dropLast()))
        for (name, bytes) in [
            ("gzip, deflate", cut), ("gzip, deflate", Array(twice.dropLast())), ("deflate, gzip", twice),
        ] {
            await #expect(throws: HTTPError.malformedMessage) { try await contents(name, bytes) }
        }
        // More of them serve nobody but an attacker.
        let many = Array(repeating: "gzip", count: 6).joined(separator: ", ")
        try await expectEqual(contents(many, [1, 2]), [[1, 2], [1, 2]])
    }

    @Test
    func `Truncation is found in content that is decoded only as its reader takes it`()
        async throws
    {
        guard try await isAccepted("zstd") else { return }
        // RFC 8878 §3.1.1: 400 blocks of 128 KiB, each a byte that is repeated, in 1,606 bytes.
        var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x38]
        for number in 0..<400 {
            let head = (128 << 10) << 3 | 1 << 1 | (number == 399 ? 1 : 0)
            frame += [UInt8(head & 0xFF), UInt8(head >> 8 & 0xFF), UInt8(head >> 16), UInt8(number & 0xFF)]
        }
        let server = try RawHTTPServer { [frame] _ in
            var answer = RawHTTPServer.Response.text(
                "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: \(frame.count)\r\n\r\n")
            answer.bytes += frame
            return answer
        }
        var request = server.request()
        request.wantsStream = true
        var (count, isRight) = (0, true)
        for try await piece in try await transport.respond(to: request).body.chunks {
            #expect(piece.count <= 320 << 10)
            for (index, byte) in piece.enumerated() where byte != UInt8((count + index) >> 17 & 0xFF) {
                isRight = false
            }
            count += piece.count
        }
        expectEqual(count, 400 << 17)
        #expect(isRight)
    }

    // RFC 9659 §3.
    @Test func `The end of a content coding comes within a window of eight mebibytes`() async throws {
        guard try await isAccepted("zstd") else { return }
        func frame(_ window: UInt8) -> [UInt8] { [0x28, 0xB5, 0x2F, 0xFD, 0, window, 0x29, 0, 0] + Self.hello }
        try await expectEqual(contents("zstd", frame(13 << 3)), [Self.hello, Self.hello])
        await #expect(throws: HTTPError.malformedMessage) { try await contents("zstd", frame(14 << 3)) }
    }
}
