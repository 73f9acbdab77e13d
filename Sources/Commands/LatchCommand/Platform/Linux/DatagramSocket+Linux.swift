// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

extension Supervisor {
    /// Opens a local socket for datagrams; returns a negative number after a failure.
    static func datagramSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
}
#endif
