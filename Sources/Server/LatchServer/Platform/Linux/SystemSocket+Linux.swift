// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchEpoll
import Glibc

/// The calls on stream sockets that differ between systems.
enum SystemSocket {
    /// The type of a stream socket.
    static var stream: Int32 { Int32(SOCK_STREAM.rawValue) }
    /// The flags of a write, which must not raise a signal when the peer has gone.
    static var sendFlags: Int32 { Int32(MSG_NOSIGNAL) }

    /// The option for the seconds of silence after which the system probes the peer.
    static var keepAliveIdle: Int32 { TCP_KEEPIDLE }

    /// Opens a non-blocking socket that child processes do not inherit; negative if that fails.
    static func open(family: Int32) -> Int32 {
        socket(family, stream | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// Accepts a connection, whose socket has the same properties as `open(family:)`; negative if that fails.
    static func accept(
        _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t
    ) -> Int32 {
        accept4(listener, address, &length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
    }

    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}

#endif
