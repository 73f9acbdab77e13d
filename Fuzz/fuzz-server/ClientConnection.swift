// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A response as it arrived; `head` and `content` are empty where the server closed the connection instead.
struct ReceivedResponse {
    var status = 0
    var head: [UInt8] = []
    /// The content without the bytes of the chunked coding, and the trailers after it.
    var content: [UInt8] = []
    var trailers: [UInt8] = []

    var fields: String { String(decoding: head + trailers, as: UTF8.self).lowercased() }
}

/// A client's end of a connection, with blocking calls.
final class ClientConnection {
    private let descriptor: Int32
    private var input: [UInt8] = []
    private var hasEnded = false

    init?(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if result != 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Sends bytes; those that the server does not take any more are lost, as on any connection that it has closed.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                retryingInterrupts { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the client's side, so that the server does not wait for more.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Returns everything until the server ends the connection.
    func readToEnd() -> [UInt8] {
        while receive() {}
        defer { input = [] }
        return input
    }

    /// Returns the next final response; nil where the server closes the connection without one.
    func readResponse(isHead: Bool) -> ReceivedResponse? {
        while true {
            guard let end = receiveUntil("\r\n\r\n") else { return nil }
            var response = ReceivedResponse()
            response.head = Array(input[..<end])
            input.removeFirst(end + 4)
            response.status = Int(String(decoding: response.head.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
            if (100..<200).contains(response.status) { continue }
            guard !isHead, response.status != 204, response.status != 304 else { return response }
            let lines = response.fields.split(separator: "\r\n")
            if lines.contains("transfer-encoding: chunked") { return readChunks(into: response) }
            let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
            while input.count < length { if !receive() { return nil } }
            response.content = Array(input[..<length])
            input.removeFirst(length)
            return response
        }
    }

    private func readChunks(into response: ReceivedResponse) -> ReceivedResponse? {
        var response = response
        while let end = receiveUntil("\r\n") {
            let size = Int(String(decoding: input[..<end], as: UTF8.self), radix: 16) ?? 0
            guard size > 0 else {
                // The end of the trailers: an empty line, which may follow the last chunk's size immediately.
                guard let last = receiveUntil("\r\n\r\n", from: end) else { return nil }
                response.trailers = Array(input[end..<last])
                input.removeFirst(last + 4)
                return response
            }
            while input.count < end + 2 + size + 2 { if !receive() { return nil } }
            response.content += input[(end + 2)..<(end + 2 + size)]
            input.removeFirst(end + 2 + size + 2)
        }
        return nil
    }

    /// Returns where a text begins in the input, which is read until it has the text.
    private func receiveUntil(_ text: String, from start: Int = 0) -> Int? {
        while true {
            if let found = position(of: text.utf8, in: input, from: start) { return found }
            if !receive() { return nil }
        }
    }

    /// Repeats a call until no signal interrupts it: libFuzzer's timer sends some.
    private func retryingInterrupts(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private func receive() -> Bool {
        guard !hasEnded else { return false }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = retryingInterrupts { recv(descriptor, &buffer, buffer.count, 0) }
        hasEnded = count <= 0
        if count > 0 { input += buffer[..<count] }
        return !hasEnded
    }
}
