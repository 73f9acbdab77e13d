// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

/// Random messages over a real socket: what one side wrote is what the other side reads.
@Suite struct RandomExchangeTests {
    private static let names = ["X-A", "x-b", "Accept", "Cookie", "X-Very-Long-Name-That-Fits-No-Small-String", "!"]

    private static func value(_ random: inout SplitMix64) -> String {
        let pieces = ["a", "1", "=", ";", ",", "\"", "é", "日", " ", "\t", ":", "%41"]
        let text = (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
        return String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    private static func bytes(_ random: inout SplitMix64) -> [UInt8] {
        let count = random.pick([0, 1, 2, 100, 16_384, 70_000])
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `A random exchange brings the request to the server unchanged`(seed: UInt64) async throws {
        var random = SplitMix64(state: seed)
        let transport = CurlTransport()
        let server = try RawHTTPServer { _ in .response() }
        for number in 0..<60 {
            var fields = HTTPFields()
            for _ in 0..<random.below(8) {
                fields.append(Self.value(&random), for: HTTPFieldName(random.pick(Self.names)))
            }
            let method = HTTPMethod(rawValue: random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "REPORT"]))
            let body = random.below(2) == 0 ? [] : Self.bytes(&random)
            let path = "/\(number)?\(FormEncoding.encode([("q", random.text(upTo: 5))]))"
            _ = try await transport.respond(to: server.request(method, path, fields: fields, body: HTTPBody(body)))
            let request = try #require(server.requests.last)
            let what = Comment("seed \(seed), request \(number)")
            expectEqual(request.line, "\(method) \(path) HTTP/1.1", what)
            expectEqual(request.body, body, what)
            for name in Self.names where name != "Accept" || fields[.accept] != nil {
                expectEqual(request.values(of: name), fields.values(of: HTTPFieldName(name)), what)
            }
            let announces = !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method.rawValue)
            expectEqual(request.values(of: "Content-Length"), announces ? ["\(body.count)"] : [], what)
        }
        expectEqual(server.connectionCount, 1)
    }

    /// Cuts content into chunks as a server may (RFC 9112 §7.1): any sizes, digits in any case, with extensions.
    private static func chunked(_ content: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var wire: [UInt8] = []
        var rest = content[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + random.below(random.pick([1, 50, 20_000])))
            let size = String(piece.count, radix: 16, uppercase: random.below(2) == 0)
            wire += Array("\(random.pick(["", "0", "000"]))\(size)\(random.pick(["", ";a=b"]))\r\n".utf8)
            wire += piece + [0x0D, 0x0A]
            rest = rest.dropFirst(piece.count)
        }
        return wire + Array("0\r\n\(random.pick(["", "X-Trailer: 1\r\n"]))\r\n".utf8)
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `A random exchange brings the answer back unchanged, however it is framed`(seed: UInt64) async throws {
        var random = SplitMix64(state: seed)
        let transport = CurlTransport()
        for number in 0..<25 {
            let content = Self.bytes(&random)
            let fields = (0..<random.below(6)).map { _ in (random.pick(Self.names), Self.value(&random)) }
            let status = random.pick([200, 201, 400, 404, 500, 599])
            let lines = fields.map { "\($0): \($1)\r\n" }.joined()
            let interim = random.below(3) == 0 ? "HTTP/1.1 103 Early Hints\r\nX-A: early\r\n\r\n" : ""
            let head = "\(interim)HTTP/1.1 \(status) Said\r\n\(lines)"
            var answer: RawHTTPServer.Response
            switch random.below(3) {
            case 0: answer = .text("\(head)Content-Length: \(content.count)\r\n\r\n")
            case 1: answer = .text("\(head)Transfer-Encoding: chunked\r\n\r\n")
            default: answer = .closing(after: "\(head)\r\n")
            }
            let isChunked = String(decoding: answer.bytes, as: UTF8.self).hasSuffix("chunked\r\n\r\n")
            answer.bytes += isChunked ? Self.chunked(content, &random) : content
            let scripted = answer
            let server = try RawHTTPServer { _ in scripted }
            let response = try await transport.respond(to: server.request())
            let what = Comment("seed \(seed), answer \(number)")
            expectEqual(response.status.rawValue, status, what)
            expectEqual(response.body.bytes, content, what)
            for name in Self.names {
                let sent = fields.filter { $0.0 == name }.map(\.1)
                expectEqual(response.fields.values(of: HTTPFieldName(name)), sent, what)
            }
            expectNil(response.fields["X-Trailer"], what)
        }
    }
}
