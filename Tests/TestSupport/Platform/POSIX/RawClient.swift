// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import LatchHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection over which a test sends exactly the bytes that it wants, also wrong ones.
///
/// Reads and writes block threads of their own, never one of the tasks' threads. What does not come within two
/// minutes counts as the end, so a test that waits in vain fails instead of hanging.
public final class RawClient: Sendable {
    /// Blocking, with a limit of two minutes on each read.
    private let descriptor: Int32
    /// A queue for each direction: a write that blocks must not keep the test from reading.
    private let sending = DispatchQueue(label: "latch.raw-client.sending")
    private let receiving = DispatchQueue(label: "latch.raw-client.receiving")

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - host: Another address of this machine; no other test takes a port of one that it has for itself.
    ///   - receiveBuffer: How many bytes the system holds for us; a small number lets the other side notice soon how
    ///     slowly we read.
    /// - Throws: `HTTPError.offline`.
    public init(port: Int, host: String = "127.0.0.1", receiveBuffer: Int? = nil) throws(HTTPError) {
        descriptor = StreamSocket.open()
        if var size = receiveBuffer.map({ Int32(clamping: $0) }) {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // Every property has its value, so the deinitialiser runs and closes: closing here too would hit whoever got the
        // number in between.
        guard result == 0 else { throw .offline }
        prepare()
    }

    /// The other end of a connection that was accepted.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        prepare()
    }

    private func prepare() {
        var (limit, on) = (timeval(tv_sec: 120, tv_usec: 0), Int32(1))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Sends bytes; whether the other side still took them.
    @discardableResult
    public func send(_ bytes: [UInt8]) async -> Bool {
        await Self.run(on: sending) { [self] in
            var start = 0
            while start < bytes.count {
                let count = bytes[start...].withUnsafeBytes { StreamSocket.send(descriptor, $0) }
                guard count > 0 else { return false }
                start += count
            }
            return true
        }
    }

    /// Sends text; whether the other side still took it.
    @discardableResult
    public func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    /// The next bytes; nil at the end.
    ///
    /// - Parameter limit: How many bytes are taken at most, for a client that reads in drips.
    public func receive(upTo limit: Int = 65536) async -> [UInt8]? {
        await Self.run(on: receiving) { [self] in
            var bytes = [UInt8](repeating: 0, count: limit)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? Array(bytes[..<count]) : nil
        }
    }

    /// Everything up to and including a text, and whatever came with it; nil when the end came before.
    public func receive(through text: String) async -> [UInt8]? {
        var all: [UInt8] = []
        while all.firstRange(of: Array(text.utf8)) == nil {
            guard let bytes = await receive() else { return nil }
            all += bytes
        }
        return all
    }

    /// Everything until the other side closes.
    public func receiveAll() async -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = await receive() { all += bytes }
        return all
    }

    /// Ends this side, as a client does that has sent everything.
    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Goes away immediately, as a client does that crashes or loses its network.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// A queue of our own has a thread as soon as it has work, however many others wait.
    private static func run<Value: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}

extension RawClient {
    /// Reads one response, whose content has a length, from `rest` and the connection.
    ///
    /// - Parameters:
    ///   - rest: What was read behind the last response; afterwards what was read behind this one.
    ///   - isHead: Whether the request was `HEAD`, so that no content follows.
    /// - Returns: nil when the connection ended before the response did.
    public func receiveResponse(rest: inout [UInt8], toHead isHead: Bool = false) async -> HTTPResponse? {
        while true {
            if let (response, length) = Self.response(in: rest, toHead: isHead) {
                rest.removeFirst(length)
                return response
            }
            guard let bytes = await receive() else { return nil }
            rest += bytes
        }
    }

    /// Reads one response.
    public func receiveResponse(toHead isHead: Bool = false) async -> HTTPResponse? {
        var rest: [UInt8] = []
        return await receiveResponse(rest: &rest, toHead: isHead)
    }

    /// Reads all responses until the other side closes.
    public func receiveResponses() async -> [HTTPResponse] {
        var (rest, responses): ([UInt8], [HTTPResponse]) = ([], [])
        while let response = await receiveResponse(rest: &rest) { responses.append(response) }
        return responses
    }

    /// A whole response at the front and its length in bytes; nil while something of it is missing.
    private static func response(in bytes: [UInt8], toHead isHead: Bool) -> (HTTPResponse, length: Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        var lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.removeFirst().split(separator: " ")
        guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return nil }
        var response = HTTPResponse(status: HTTPStatus(rawValue: status))
        for line in lines {
            let name = line.prefix { $0 != ":" }
            let value = line[name.endIndex...].dropFirst().drop { $0 == " " }
            response.fields.append(String(value), for: HTTPFieldName(String(name)))
        }
        let length = isHead ? 0 : response.fields[.contentLength].flatMap { Int($0) } ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        response.body = HTTPBody(Array(bytes[end.upperBound..<(end.upperBound + length)]))
        return (response, end.upperBound + length)
    }
}
