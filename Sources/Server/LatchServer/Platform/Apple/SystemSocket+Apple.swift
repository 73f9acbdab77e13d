// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import Darwin

/// The calls on stream sockets that differ between systems.
enum SystemSocket {
    /// The type of a stream socket.
    static var stream: Int32 { SOCK_STREAM }
    /// The flags of a write; a socket option prevents a signal when the peer has gone.
    static var sendFlags: Int32 { 0 }

    /// The option for the seconds of silence after which the system probes the peer.
    static var keepAliveIdle: Int32 { TCP_KEEPALIVE }

    /// Opens a non-blocking socket that child processes do not inherit; negative if that fails.
    static func open(family: Int32) -> Int32 { prepared(socket(family, SOCK_STREAM, 0)) }

    /// Accepts a connection, whose socket has the same properties as `open(family:)`; negative if that fails.
    static func accept(
        _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t
    ) -> Int32 {
        prepared(Darwin.accept(listener, address, &length))
    }

    /// Sets the properties of a socket; this fails for a connection that was reset before it was accepted.
    private static func prepared(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return descriptor }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size) == 0
        else {
            let failure = errno
            close(descriptor)
            errno = failure
            return -1
        }
        return descriptor
    }

    static func close(_ descriptor: Int32) { _ = Darwin.close(descriptor) }
}

#endif
