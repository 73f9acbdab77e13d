// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The readiness of a socket.
enum SocketWait {
    /// Blocks until the socket has failed, can be read or, if requested, can be written.
    ///
    /// - Parameter limit: The maximum time to wait; nil for no limit.
    /// - Returns: False if the time has passed.
    static func untilReady(_ descriptor: Int32, toWrite: Bool, within limit: Duration?) -> Bool {
        let events = Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0)
        let clock = ContinuousClock()
        let deadline = limit.map { clock.now.advanced(by: $0) }
        while true {
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            // The value is rounded up, so that the last wait does not become a series of empty waits.
            let milliseconds = deadline.map { deadline in
                let (seconds, attoseconds) = clock.now.duration(to: deadline).components
                return max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
            }
            let count = poll(&entry, 1, Int32(clamping: milliseconds ?? -1))
            if count > 0 { return true }
            // Only a signal makes it wait again; any other failure shows at the next call on the socket.
            if count < 0, errno != EINTR { return true }
            if count == 0, let deadline, clock.now >= deadline { return false }
        }
    }

    /// Whether the socket has something to read, which includes the end of the connection.
    static func hasInput(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }
}
