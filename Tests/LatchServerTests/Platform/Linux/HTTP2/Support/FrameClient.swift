// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchNGHTTP2
import LatchCore
import LatchHTTP
import LatchServer
import TestSupport

/// A frame as a test writes and reads it (RFC 9113 §4.1), right or wrong.
struct RawFrame: Equatable {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []
    /// The length to state; nil states the true one.
    var length: Int?

    var bytes: [UInt8] {
        let length = length ?? payload.count
        let head = [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
        return head + Self.number(stream) + payload
    }

    static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4

    static func data(_ stream: UInt32, _ bytes: [UInt8], flags: UInt8 = endStream) -> RawFrame {
        RawFrame(type: 0, flags: flags, stream: stream, payload: bytes)
    }

    static func headers(_ stream: UInt32, _ block: [UInt8], flags: UInt8 = endStream | endHeaders) -> RawFrame {
        RawFrame(type: 1, flags: flags, stream: stream, payload: block)
    }

    static func get(_ stream: UInt32, _ path: String = "/") -> RawFrame { headers(stream, HPACK.request("GET", path)) }

    static func post(_ stream: UInt32, _ path: String = "/", _ fields: [(String, String)] = []) -> RawFrame {
        headers(stream, HPACK.request("POST", path, fields), flags: endHeaders)
    }

    static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> RawFrame {
        RawFrame(type: 3, stream: stream, payload: number(code))
    }

    static func settings(_ pairs: [(UInt16, UInt32)] = [], flags: UInt8 = 0) -> RawFrame {
        RawFrame(
            type: 4, flags: flags,
            payload: pairs.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + number($0.1) })
    }

    static let ping = RawFrame(type: 6, payload: Array("12345678".utf8))

    static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> RawFrame {
        RawFrame(type: 8, stream: stream, payload: number(increment))
    }

    static func continuation(_ stream: UInt32, _ block: [UInt8], flags: UInt8 = endHeaders) -> RawFrame {
        RawFrame(type: 9, flags: flags, stream: stream, payload: block)
    }

    /// The big-endian number at the end of the payload: the code of RST_STREAM.
    var code: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    /// The code of GOAWAY.
    var goAwayCode: UInt32 { payload.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

/// Header blocks that use no table and no Huffman coding (RFC 7541 §6.2.2).
enum HPACK {
    static func block(_ lines: [(String, String)]) -> [UInt8] {
        lines.flatMap { [UInt8(0)] + text($0.0) + text($0.1) }
    }

    static func text(_ text: String) -> [UInt8] { integer(text.utf8.count, prefix: 7) + Array(text.utf8) }

    /// RFC 7541 §5.1.
    static func integer(_ value: Int, prefix: Int, pattern: UInt8 = 0) -> [UInt8] {
        let most = (1 << prefix) - 1
        guard value >= most else { return [pattern | UInt8(value)] }
        var (bytes, rest) = ([pattern | UInt8(most)], value - most)
        while rest >= 128 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func request(_ method: String, _ path: String, _ fields: [(String, String)] = []) -> [UInt8] {
        block([(":method", method), (":scheme", "http"), (":authority", "a"), (":path", path)] + fields)
    }
}

/// What a stream was answered with.
struct StreamAnswer: Equatable {
    var interim: [Int] = []
    var status: Int?
    var fields: HTTPFields = [:]
    var content: [UInt8] = []
    var trailers: HTTPFields?
    var isComplete = false
    /// The code of RST_STREAM.
    var reset: UInt32?

    var text: String { String(decoding: content, as: UTF8.self) }
}

/// A client of HTTP/2 that sends exactly the frames that a test wants.
///
/// One task reads at a time; another one may send meanwhile, which shares nothing with it but the socket.
final class FrameClient: @unchecked Sendable {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private let client: RawClient
    private var rest: [UInt8] = []
    private var inflater: OpaquePointer?
    private var block: [UInt8] = []
    private(set) var answers: [UInt32: StreamAnswer] = [:]
    private(set) var goAways: [RawFrame] = []
    private(set) var settings: [RawFrame] = []
    private(set) var pings: [RawFrame] = []
    /// The names of the fields that must not be in a table of any compressor (RFC 7541 §7.1.3).
    private(set) var neverIndexed: Set<String> = []
    /// Whether the server's settings are acknowledged, which would be an intruder in a header section.
    var acknowledges = true

    /// Connects, and begins as RFC 9113 §3.4 says.
    init(_ address: Server.Address, settings: [(UInt16, UInt32)]? = [], receiveBuffer: Int? = nil) async throws {
        client = try RawClient(port: address.port, receiveBuffer: receiveBuffer)
        nghttp2_hd_inflate_new(&inflater)
        if let settings { await client.send(Self.preface + RawFrame.settings(settings).bytes) }
    }

    deinit { nghttp2_hd_inflate_del(inflater) }

    @discardableResult
    func send(_ frames: RawFrame...) async -> Bool { await client.send(frames.flatMap(\.bytes)) }

    @discardableResult
    func send(bytes: [UInt8]) async -> Bool { await client.send(bytes) }

    func reset() { client.reset() }

    func endSending() { client.endSending() }

    /// Reads one frame; nil at the end of the connection.
    func receive() async -> RawFrame? {
        while true {
            if rest.count >= 9 {
                let length = Int(rest[0]) << 16 | Int(rest[1]) << 8 | Int(rest[2])
                if rest.count >= 9 + length {
                    let stream = rest[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                    let frame = RawFrame(
                        type: rest[3], flags: rest[4], stream: stream, payload: Array(rest[9..<(9 + length)]))
                    rest.removeFirst(9 + length)
                    record(frame)
                    if frame.type == 4, frame.flags & 1 == 0, acknowledges { await send(.settings(flags: 1)) }
                    return frame
                }
            }
            guard let bytes = await client.receive() else { return nil }
            rest += bytes
        }
    }

    /// Reads until a stream is answered or reset, or the connection ends.
    func answer(to stream: UInt32) async -> StreamAnswer {
        while answers[stream]?.isComplete != true, answers[stream]?.reset == nil {
            guard await receive() != nil else { break }
        }
        return answers[stream] ?? StreamAnswer()
    }

    /// Reads until a condition holds; returns false when the connection ends before.
    @discardableResult
    func receive(until condition: (FrameClient) -> Bool) async -> Bool {
        while !condition(self) {
            guard await receive() != nil else { return false }
        }
        return true
    }

    /// Reads to the end of the connection; returns the code of the last GOAWAY.
    func end() async -> UInt32? {
        while await receive() != nil {}
        return goAways.last?.goAwayCode
    }

    /// Waits until the server has taken all that was sent before.
    func settle() async -> Bool {
        let count = pings.count
        await send(.ping)
        return await receive { $0.pings.count > count }
    }

    private func record(_ frame: RawFrame) {
        switch frame.type {
        case 0:
            answers[frame.stream, default: StreamAnswer()].content += frame.payload
            if frame.flags & 1 != 0 { answers[frame.stream]?.isComplete = true }
        case 1, 9:
            block += frame.payload
            if frame.flags & 1 != 0, frame.type == 1 {
                answers[frame.stream, default: StreamAnswer()].isComplete = true
            }
            if frame.flags & 4 != 0 { headers(frame.stream) }
        case 3: answers[frame.stream, default: StreamAnswer()].reset = frame.code
        case 4: settings.append(frame)
        case 6: pings.append(frame)
        case 7: goAways.append(frame)
        default: break
        }
    }

    private func headers(_ stream: UInt32) {
        let fields = inflated()
        block = []
        var answer = answers[stream, default: StreamAnswer()]
        defer { answers[stream] = answer }
        guard let status = fields[":status"].flatMap({ Int($0) }) else { return answer.trailers = fields }
        guard status >= 200 else { return answer.interim.append(status) }
        answer.status = status
        answer.fields = fields
    }

    private func inflated() -> HTTPFields {
        var (fields, position) = (HTTPFields(), 0)
        while position < block.count {
            var (line, flags): (nghttp2_nv, Int32) = (nghttp2_nv(), 0)
            let count = block.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(
                    inflater, &line, &flags, $0.baseAddress.map { $0 + position }, $0.count - position, 1)
            }
            guard count >= 0 else { return fields }
            position += count
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                let name = UnsafeBufferPointer(start: line.name, count: line.namelen)
                let value = UnsafeBufferPointer(start: line.value, count: line.valuelen)
                let text = String(decoding: name, as: UTF8.self)
                fields.append(String(decoding: value, as: UTF8.self), for: HTTPFieldName(text))
                if line.flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0 { neverIndexed.insert(text) }
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 { break }
        }
        nghttp2_hd_inflate_end_headers(inflater)
        return fields
    }
}

extension Handler where Self == ClosureHandler {
    /// A handler that says what it was asked.
    static var telling: ClosureHandler {
        ClosureHandler { request in
            HTTPResponse(
                status: .ok, fields: ["X-Seen": request.fields.map { "\($0.name)=\($0.value)" }.joined(separator: "|")],
                body: HTTPBody("\(request.method) \(request.authority) \(request.path) ")
                    .appending(try await request.body.collected(upTo: 1 << 24)))
        }
    }
}

extension HTTPBody {
    fileprivate func appending(_ bytes: [UInt8]) -> HTTPBody { HTTPBody(self.bytes + bytes) }
}

#endif
