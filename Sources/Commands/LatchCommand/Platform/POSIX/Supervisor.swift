// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The service manager that started the process, such as systemd; without one, all methods do nothing.
package struct Supervisor: Sendable {
    /// The first descriptor that the manager passes (sd_listen_fds(3)).
    private static let firstDescriptor: Int32 = 3

    /// The path of the socket for notifications, or `@` and an abstract name; nil if no manager waits for them.
    private let address: String?
    /// The listening sockets with their names, in order.
    package let sockets: [(name: String, descriptor: Int32)]

    /// Reads the variables of sd_notify(3) and sd_listen_fds(3).
    package init(_ variables: [String: String]) {
        address = variables["NOTIFY_SOCKET"]
        // Sockets for the process that started this one are not for this process.
        guard variables["LISTEN_PID"] == String(getpid()), let count = variables["LISTEN_FDS"].flatMap({ Int32($0) }),
            (1...64).contains(count)
        else {
            sockets = []
            return
        }
        let names = (variables["LISTEN_FDNAMES"] ?? "").utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        sockets = (0..<count).map { index in
            let name = Int(index) < names.count ? names[Int(index)] : ""
            return (name: name, descriptor: Self.firstDescriptor + index)
        }
    }

    /// Reports that the service is ready, for `Type=notify`.
    package func ready(_ status: String) { notify("READY=1\nSTATUS=\(status)") }

    /// Reports that the service is reloading its configuration.
    package func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        notify("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    }

    /// Reports that the service is ending.
    package func stopping() { notify("STOPPING=1") }

    /// Sends a datagram.
    ///
    /// If it is not received, the manager sees the service end or time out, as without notifications.
    private func notify(_ state: String) {
        guard let name = address?.utf8, let first = name.first, first == 0x2F || first == 0x40 else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < capacity else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // An abstract name begins with a zero byte, and its length counts (unix(7)).
        if first == 0x40 { withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 } }
        let length = MemoryLayout.size(ofValue: address) - capacity + name.count
        let descriptor = Self.datagramSocket()
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(length))
            }
        }
    }
}
