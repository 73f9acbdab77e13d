// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CEpoll
import Glibc

/// A socket that accepts connections without blocking.
struct ListeningSocket {
    /// Shared by all loops and closed by the engine.
    let descriptor: Int32
    /// What the system bound, as a number; a name that was given is gone.
    let host: String
    /// What the system bound, also where 0 was asked for.
    let port: Int

    /// Listens at an address.
    ///
    /// - Throws: `ServerError.portInUse` or `.addressUnavailable`.
    init(host: String, port: Int, backlog: Int) throws(ServerError) {
        let wanted = "\(host):\(port)"
        guard let address = Self.resolved(host, port) else {
            throw .addressUnavailable(wanted, why: "it is no address and no name of this machine")
        }
        defer { freeaddrinfo(address) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(address.pointee.ai_family, kind, 0)
        guard descriptor >= 0 else { throw .addressUnavailable(wanted, why: Self.reason(errno)) }
        // A restart need not wait for connections of the last run; accepted sockets inherit that nothing is delayed.
        Self.enable(SO_REUSEADDR, at: SOL_SOCKET, descriptor)
        Self.enable(TCP_NODELAY, at: Int32(IPPROTO_TCP), descriptor)
        guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
            listen(descriptor, Int32(clamping: backlog)) == 0
        else {
            let failure = errno
            close(descriptor)
            throw failure == EADDRINUSE
                ? .portInUse(at: wanted) : .addressUnavailable(wanted, why: Self.reason(failure))
        }
        (self.host, self.port) = Self.localAddress(descriptor)
    }

    /// The first address of a host; the caller frees it.
    ///
    /// Nothing is asked of a network for a number.
    private static func resolved(_ host: String, _ port: Int) -> UnsafeMutablePointer<addrinfo>? {
        guard (0...65535).contains(port) else { return nil }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
        return found
    }

    /// Best effort: a socket without the option serves as well.
    private static func enable(_ option: Int32, at level: Int32, _ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// RFC 6335 §6: with port 0 only the system knows what was bound.
    private static func localAddress(_ descriptor: Int32) -> (String, Int) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
        }
        return (PeerAddress(storage).text, PeerAddress.port(of: storage))
    }

    /// The two failures that people meet have words, the others their number.
    private static func reason(_ number: Int32) -> String {
        switch number {
        case EACCES: "this user may not open it"
        case EADDRNOTAVAIL: "it is not of this machine"
        default: "the system answered with error \(number)"
        }
    }
}

extension ListeningSocket {
    /// The next connection that waits; nil when none does.
    func accept() -> (descriptor: Int32, peer: PeerAddress)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let connection = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept4(descriptor, $0, &length, flags) }
        }
        return connection < 0 ? nil : (connection, PeerAddress(storage))
    }
}

#endif
