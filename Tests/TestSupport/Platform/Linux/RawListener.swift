// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Dispatch
import Glibc

/// A port on which a test plays the server by hand, one connection after the other.
///
/// ```swift
/// let listener = try RawListener()
/// let task = Task { try await transport.respond(to: request) }
/// let peer = await listener.accept()
/// ```
public final class RawListener: Sendable {
    /// The port on 127.0.0.1.
    public let port: Int
    private let descriptor: Int32
    private let accepting = DispatchQueue(label: "latch.raw-listener")

    /// Listens on a free port.
    ///
    /// - Parameters: - receiveBuffer: How many bytes the system holds for us on each connection. - segmentSize: How
    ///   many bytes the other side sends in one piece, by which its system bounds what it takes before we read.
    /// - Throws: `RawHTTPServer.Failure` when no socket can be had.
    public init(receiveBuffer: Int? = nil, segmentSize: Int? = nil) throws {
        (descriptor, port) = try listeningSocket()
        // Inherited by what is accepted.
        for (level, name, value) in [
            (SOL_SOCKET, SO_RCVBUF, receiveBuffer), (Int32(IPPROTO_TCP), TCP_MAXSEG, segmentSize),
        ] {
            guard var number = value.map({ Int32(clamping: $0) }) else { continue }
            setsockopt(descriptor, level, name, &number, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    deinit { close(descriptor) }

    /// The next connection; nil where none comes within two minutes.
    ///
    /// - Parameter receiveBuffer: How many bytes the system holds for us; a small number lets the other side notice
    ///   soon how slowly we read.
    public func accept(receiveBuffer: Int? = nil) async -> RawClient? {
        await withCheckedContinuation { continuation in
            accepting.async { [descriptor] in
                // Inherited by what is accepted, and to be set before the window is announced.
                if var size = receiveBuffer.map({ Int32(clamping: $0) }) {
                    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
                }
                var limit = timeval(tv_sec: 120, tv_usec: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                let socket = Glibc.accept(descriptor, nil, nil)
                continuation.resume(returning: socket < 0 ? nil : RawClient(descriptor: socket))
            }
        }
    }
}

#endif
