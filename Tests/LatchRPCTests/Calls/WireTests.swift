// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

@Suite struct EnvelopeStreamTests {
    private func pieces(_ bytes: [UInt8], of size: Int) -> HTTPBodyStream {
        let rest = Mutex(bytes[...])
        return HTTPBodyStream(once: {
            rest.withLock { rest in
                defer { rest = rest.dropFirst(size) }
                return rest.isEmpty ? nil : Array(rest.prefix(size))
            }
        })
    }

    private func read(_ bytes: [UInt8], of size: Int, limit: Int = 1000) async throws -> [Envelope] {
        var reader = EnvelopeReader(pieces(bytes, of: size), limit: limit)
        var all: [Envelope] = []
        while let envelope = try await reader.next() { all.append(envelope) }
        return all
    }

    @Test(arguments: [1, 2, 3, 5, 6, 7, 64, 100_000])
    func `A stream of envelopes is read for any chunk size`(size: Int) async throws {
        let contents: [[UInt8]] = [[], [1], [UInt8](repeating: 2, count: 300), [], [UInt8](repeating: 3, count: 1000)]
        let bytes = contents.flatMap { Envelope($0, flags: .compressed).bytes }
        let read = try await read(bytes, of: size)
        expectEqual(read.map(\.content), contents)
        #expect(read.allSatisfy { $0.flags == .compressed })
    }

    @Test(arguments: [1, 4, 5, 6, 9])
    func `A stream of envelopes that is truncated is an error`(length: Int) async throws {
        let bytes = Array(Envelope([1, 2, 3, 4, 5]).bytes.prefix(length))
        await #expect(throws: RPCError.internal) { try await read(bytes, of: 100) }
    }

    @Test
    func `A stream of envelopes is charged to the memory of its request until the next one is read`() async throws {
        let memory = MemoryBudget(limit: 1000)
        let bytes = Envelope([UInt8](repeating: 1, count: 395)).bytes + Envelope([]).bytes
        var reader = EnvelopeReader(pieces(bytes, of: 100), limit: 2000, memory: MemoryReservation(memory))
        #expect(try await reader.next()?.content.count == 395 && memory.heldBytes == 400)
        #expect(try await reader.next()?.content.isEmpty == true && memory.heldBytes == 5)
        #expect(try await reader.next() == nil && memory.heldBytes == 0)
        let large = Envelope([UInt8](repeating: 1, count: 1200)).bytes
        var other = EnvelopeReader(pieces(large, of: 100), limit: 2000, memory: MemoryReservation(memory))
        await #expect(throws: RPCError.unavailable) { try await other.next() }
    }

    @Test func `A stream of envelopes that announces too large a message is rejected`() async throws {
        for prefix in [[0, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 3, 0xE9]] as [[UInt8]] {
            await #expect(throws: RPCError.resourceExhausted) { try await read(prefix, of: 100) }
        }
        let most = Envelope([UInt8](repeating: 0, count: 1000)).bytes
        try await expectEqual(read(most, of: 100).count, 1)
    }

    @Test func `A stream of envelopes is decompressed only with the flag`() throws {
        let message = [UInt8](repeating: 9, count: 1000)
        let envelope = try Envelope(message, by: .gzip)
        expectEqual(envelope.flags, .compressed)
        #expect(envelope.content.count < 100)
        try expectEqual(envelope.message(by: .gzip, limit: 1000), message)
        #expect(throws: RPCError.internal) { try envelope.message(by: nil, limit: 1000) }
        try expectEqual(Envelope([1, 2], by: .gzip).flags, [])
    }
}

@Suite struct WireTests {
    @Test(arguments: [
        (Duration.seconds(1), "1000m"), (.milliseconds(1), "1m"), (.microseconds(1), "1m"), (.zero, "0n"),
        (.seconds(-1), "0n"), (.seconds(100_000), "100000S"), (.seconds(400_000_000), "111111H"),
    ])
    func `The wire formats of the protocols format a timeout for gRPC`(time: Duration, text: String) {
        expectEqual(TimeoutHeader.grpc(time), text)
        #expect(text.utf8.count <= 9)
    }

    @Test(arguments: [
        ("1H", Duration.seconds(3600)), ("2M", .seconds(120)), ("3S", .seconds(3)), ("4m", .milliseconds(4)),
        ("5u", .microseconds(5)), ("6n", .nanoseconds(6)), ("99999999H", .seconds(359_999_996_400)),
    ])
    func `The wire formats of the protocols include the timeouts of gRPC`(text: String, time: Duration) {
        expectEqual(TimeoutHeader.duration(grpc: text), time)
    }

    @Test(arguments: ["", "1", "H", "-1S", "+1S", "1s", "1.5S", "123456789S", "1 S", "１S"])
    func `The wire formats of the protocols reject malformed timeouts`(text: String) {
        expectNil(TimeoutHeader.duration(grpc: text))
    }

    @Test func `The wire formats of the protocols format a timeout for Connect`() {
        expectEqual(TimeoutHeader.milliseconds(.seconds(2)), "2000")
        expectEqual(TimeoutHeader.milliseconds(.zero), "0")
        expectEqual(TimeoutHeader.milliseconds(.seconds(1e12)), "9999999999")
        expectEqual(TimeoutHeader.duration(milliseconds: "9999999999"), .milliseconds(9_999_999_999))
        for text in ["", "12345678901", "-1", "1.0", "abc"] {
            expectNil(TimeoutHeader.duration(milliseconds: text))
        }
    }

    @Test(arguments: ["", "plain", "100 %", "ö\n\r\0", "~ !", "日本"])
    func `The wire formats of the protocols carry any error message`(text: String) {
        let encoded = GRPCStatus.encode(text)
        #expect(encoded.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        expectEqual(GRPCStatus.decode(encoded), text)
    }

    @Test func `The wire formats of the protocols keep malformed percent-encoding unchanged`() {
        expectEqual(GRPCStatus.decode("50% off %zz %4"), "50% off %zz %4")
    }

    @Test func `The wire formats of the protocols report an error only for a failed status`() {
        expectNil(GRPCStatus.error(in: ["grpc-status": "0"], metadata: [:]))
        expectEqual(GRPCStatus.error(in: ["grpc-status": "5"], metadata: [:])?.status, .notFound)
        for odd in ["", "17", "-1", "x", "99999999999999999999"] {
            expectEqual(GRPCStatus.error(in: ["grpc-status": odd], metadata: [:])?.status, .unknown)
        }
    }

    @Test func `The wire formats of the protocols carry trailers in the content of gRPC-Web`() {
        let fields: HTTPFields = ["grpc-status": "0", "x-a": "b", "x-a": ""]
        expectEqual(GRPCWebTrailers.fields(GRPCWebTrailers.bytes(fields)), fields)
        let odd = GRPCWebTrailers.fields(
            Array("Grpc-Status:0\nno field\n: empty\nbad name: 1\r\n x: 2\r\nY:\t 3 \r\n".utf8))
        expectEqual(odd, ["grpc-status": "0", "y": "3"])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 1000])
    func `The wire formats of the protocols decode base64 in pieces of any size`(size: Int) async throws {
        let bytes = (0..<100).map { UInt8($0) }
        let text = bytes.indices.flatMap { $0 % 7 == 0 ? GRPCWebText.encode(Array(bytes[$0..<min($0 + 7, 100)])) : [] }
        let rest = Mutex(text[...])
        let stream = HTTPBodyStream(once: {
            rest.withLock { rest in
                defer { rest = rest.dropFirst(size) }
                return rest.isEmpty ? nil : Array(rest.prefix(size))
            }
        })
        var decoded: [UInt8] = []
        for try await piece in GRPCWebText.decoding(stream) { decoded += piece }
        expectEqual(decoded, bytes)
    }

    @Test(arguments: [50_000, 50_001, 50_002])
    func `The wire formats of the protocols decode long base64, also with padding in between`(count: Int)
        async throws
    {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let text = GRPCWebText.encode(bytes) + Array("\r\n".utf8) + GRPCWebText.encode(bytes)
        var decoded: [UInt8] = []
        for try await piece in GRPCWebText.decoding(HTTPBodyStream(text)) { decoded += piece }
        expectEqual(decoded, bytes + bytes)
    }

    @Test(arguments: [1, 2, 3, 4, 7])
    func `The wire formats of the protocols encode base64 without padding between pieces`(size: Int) async throws {
        let rest = Mutex((0..<100).map { UInt8($0) }[...])
        let encode = GRPCWebText.encoding {
            rest.withLock { rest in
                defer { rest = rest.dropFirst(size) }
                return rest.isEmpty ? nil : Array(rest.prefix(size))
            }
        }
        var text: [UInt8] = []
        while let piece = try await encode() { text += piece }
        expectEqual(text, Array(Base64Alphabet.standard.encodePadded((0..<100).map { UInt8($0) }).utf8))
    }

    @Test(arguments: ["a", "ab", "abc", "a===", "====", "ab=c", "!!!!", "AA==A"])
    func `The wire formats of the protocols reject malformed base64`(text: String) async throws {
        await #expect(throws: RPCError.internal) {
            for try await _ in GRPCWebText.decoding(HTTPBodyStream(Array(text.utf8))) {}
        }
    }

    @Test(arguments: [nil, "gzip"], RPCCodec.allCases)
    func `The wire formats of the protocols carry a message in a query`(name: String?, codec: RPCCodec)
        throws
    {
        let query = ConnectQuery(content: Array("{\"a\":\"ö&=+\"}".utf8), codec: codec, compression: name)
        let request = HTTPRequest(authority: "a", path: "/s/m?" + query.text)
        let read = try ConnectQuery(request)
        expectEqual(read.content, query.content)
        expectEqual(read.codec, codec)
        expectEqual(read.compression, name)
    }

    @Test(arguments: [
        "", "connect=v1", "encoding=proto", "message=a", "encoding=xml&message=a", "connect=v2&encoding=proto&message=",
        "encoding=proto&base64=1&message=!",
    ])
    func `The wire formats of the protocols reject a malformed query`(query: String) {
        #expect(throws: RPCError.invalidArgument) {
            try ConnectQuery(HTTPRequest(authority: "a", path: "/s/m?" + query))
        }
    }

    @Test func `The wire formats of the protocols carry bytes in fields, with and without padding`() {
        var fields: HTTPFields = ["a-bin": "AAE=", "a-bin": "AAE, /w", "a-bin": "no!"]
        expectEqual(fields.binaryValues(of: "a-bin"), [[0, 1], [0, 1], [255]])
        fields = [:]
        fields.appendBinary([0, 1, 2, 3], for: "b-bin")
        expectEqual(fields["b-bin"], "AAECAw")
    }
}
