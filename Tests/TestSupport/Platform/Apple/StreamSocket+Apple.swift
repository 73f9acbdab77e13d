// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import Darwin

/// The calls on the sockets of a `RawClient` that differ between systems.
enum StreamSocket {
    /// Opens a blocking socket, which child processes do not inherit and which raises no signal.
    static func open() -> Int32 {
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        var on: Int32 = 1
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
    }
}

/// The loopback addresses of this machine.
public enum Loopback {
    /// Returns 127.0.0.1, the only one that macOS has without a change of its configuration.
    public static func address(_ number: Int) -> String { "127.0.0.1" }
}

#endif
