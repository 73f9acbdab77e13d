// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin

extension Supervisor {
    /// Opens a local socket for datagrams; returns a negative number after a failure.
    static func datagramSocket() -> Int32 { socket(AF_UNIX, SOCK_DGRAM, 0) }
}
#endif
