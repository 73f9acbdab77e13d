// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin

extension Supervisor {
    /// Opens a local socket for datagrams; negative if that fails.
    static func datagramSocket() -> Int32 { socket(AF_UNIX, SOCK_DGRAM, 0) }
}
#endif
