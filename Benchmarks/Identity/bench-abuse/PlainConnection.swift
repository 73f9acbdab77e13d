// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A blocking connection from an address of one's own, so that the server sees clients of many networks.
final class PlainConnection {
    struct Response {
        var status = 0
        var retryAfter: Double?
        var content: [UInt8] = []
    }

    let descriptor: Int32
    private var input: [UInt8] = []

    /// Connects to a port of 127.0.0.1; nil if the server does not accept.
    init?(from address: String, port: Int, timeout seconds: Int = 30) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        // The port is chosen when the connection is made, by both addresses: there are enough for all clients.
        setsockopt(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &on, socklen_t(4))
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(4))
        guard Self.withAddress(address, 0, { bind(descriptor, $0, $1) }) == 0,
            Self.withAddress("127.0.0.1", port, { connect(descriptor, $0, $1) }) == 0
        else { return nil }
    }

    deinit { close(descriptor) }

    /// Calls a function of the system with an IPv4 address.
    static func withAddress(
        _ host: String, _ port: Int, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Makes the end of the connection a reset.
    func resetsAtClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    @discardableResult
    func send(_ bytes: some Sequence<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends a request and returns the response; nil if the connection breaks first.
    func response(
        to method: String, _ path: String, _ fields: [String] = [], _ content: [UInt8] = []
    ) -> Response? {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Content-Length: \(content.count)"] + fields
        guard send(Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + content) else { return nil }
        return response()
    }

    /// Reads the next response, which has a length, as all of this server's have.
    func response() -> Response? {
        var end: Int?
        while end == nil {
            end = input.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound
            if end == nil, !receive() { return nil }
        }
        guard let end else { return nil }
        let lines = String(decoding: input[..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
        let value = { (name: String) in
            lines.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        let length = value("content-length").flatMap { Int($0) } ?? 0
        while input.count < end + 4 + length { if !receive() { return nil } }
        defer { input.removeFirst(end + 4 + length) }
        return Response(
            status: lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) } ?? 0,
            retryAfter: value("retry-after").flatMap { Double($0) },
            content: Array(input[(end + 4)..<(end + 4 + length)]))
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { input += buffer[..<count] }
        return count > 0
    }
}
