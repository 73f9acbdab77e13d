// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// One connection of a `RawHTTPServer`: what came and is not yet a request, what is to be sent.
struct RawConnection {
    /// Counted from 0 in the order of acceptance.
    let number: Int
    /// The received bytes that are not a whole request yet.
    private var input: [UInt8] = []
    /// The bytes to send; the socket may take them in pieces.
    private var output: [UInt8] = []
    /// The number of the next request of this connection.
    private var requestCount = 0
    /// Whether the connection ends behind the output.
    private var closes = false
    /// Whether the output goes out byte by byte, one at each turn of the loop.
    private(set) var isTrickling = false

    /// A connection on which nothing has come yet.
    init(number: Int) { self.number = number }

    /// Whether the loop should wait for the socket to take more.
    var hasOutput: Bool { !output.isEmpty }

    /// Returns false when the client has closed.
    mutating func read(from socket: CInt) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else {
                return count < 0 && (errno == EAGAIN || errno == EINTR)
            }
            input.append(contentsOf: buffer[..<count])
        }
    }

    /// Takes the next whole request off the input; content is measured by Content-Length only.
    mutating func nextRequest() -> RawHTTPServer.Request? {
        guard let end = input.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) else { return nil }
        let head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
        let bare = RawHTTPServer.Request(connection: number, number: requestCount, head: head, body: [])
        let length = bare.values(of: "Content-Length").first.flatMap { Int($0) } ?? 0
        guard input.count - end.upperBound >= length else { return nil }
        let body = Array(input[end.upperBound..<(end.upperBound + length)])
        input.removeFirst(end.upperBound + length)
        requestCount += 1
        return RawHTTPServer.Request(connection: number, number: bare.number, head: head, body: body)
    }

    /// Puts an answer behind those that are still being sent.
    mutating func enqueue(_ answer: RawHTTPServer.Response) {
        output += answer.bytes
        isTrickling = answer.isTrickled
        closes = closes || answer.closes
    }

    /// Sends what the socket takes; returns whether the connection is over.
    mutating func flush(to socket: CInt) -> Bool {
        while !output.isEmpty {
            let count = send(socket, output, isTrickling ? 1 : output.count, CInt(MSG_NOSIGNAL))
            guard count > 0 else { return errno != EAGAIN && errno != EINTR }
            output.removeFirst(count)
            if isTrickling { break }
        }
        if output.isEmpty { isTrickling = false }
        return output.isEmpty && closes
    }
}
#endif
