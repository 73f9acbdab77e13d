// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc

/// The calls on the sockets of a `RawClient` that differ between systems.
enum StreamSocket {
    /// Opens a blocking socket, which child processes do not inherit.
    static func open() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }

    /// Sends bytes without a signal where the other side has gone.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
}

/// The loopback addresses of this machine.
public enum Loopback {
    /// Returns the address 127.0.0.`number`, which one test has for itself.
    public static func address(_ number: Int) -> String { "127.0.0.\(number)" }
}

#endif
