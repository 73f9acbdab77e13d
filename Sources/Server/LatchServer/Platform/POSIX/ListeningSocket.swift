// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A socket that accepts connections without blocking.
struct ListeningSocket {
    /// The descriptor, shared by all loops and closed by the engine.
    let descriptor: Int32
    /// The numeric address that the system has bound.
    let host: String
    /// The port that the system has bound, even if 0 was requested.
    let port: Int
    /// The maximum number of waiting connections; nil for a socket that already listens.
    private let backlog: Int?

    /// Whether the socket stays open in another process when this process closes it.
    var isInherited: Bool { backlog == nil }

    /// Binds an address; clients are refused until ``startListening()``.
    ///
    /// - Throws: `ServerError.portInUse` or `.addressUnavailable`.
    init(host: String, port: Int, backlog: Int) throws(ServerError) {
        let requested = "\(host):\(port)"
        guard let address = Self.resolved(host, port) else {
            throw .addressUnavailable(requested, why: "it is neither an IP address nor a name that resolves to one")
        }
        defer { freeaddrinfo(address) }
        descriptor = SystemSocket.open(family: address.pointee.ai_family)
        guard descriptor >= 0 else { throw .addressUnavailable(requested, why: Self.reason(errno)) }
        // A restart need not wait for connections of the previous run.
        Self.set(SO_REUSEADDR, at: SOL_SOCKET, descriptor)
        Self.prepareForAccepting(descriptor)
        guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
            let failure = errno
            SystemSocket.close(descriptor)
            throw Self.error(failure, at: requested)
        }
        (self.host, self.port) = Self.localAddress(descriptor)
        self.backlog = backlog
    }

    /// Lets clients connect.
    ///
    /// - Throws: `ServerError.portInUse` if another process has begun to listen, or `.addressUnavailable`; the socket
    ///   stays open.
    func startListening() throws(ServerError) {
        guard let backlog, listen(descriptor, Int32(clamping: backlog)) != 0 else { return }
        throw Self.error(errno, at: "\(host):\(port)")
    }

    private static func error(_ number: Int32, at address: String) -> ServerError {
        number == EADDRINUSE ? .portInUse(at: address) : .addressUnavailable(address, why: reason(number))
    }

    /// Takes over a socket that already listens, as a service manager passes it (sd_listen_fds(3)).
    ///
    /// - Throws: `ServerError.addressUnavailable` if it is not a listening TCP socket; then it stays open.
    init(inheriting descriptor: Int32) throws(ServerError) {
        let (result, storage) = Self.withAddress { getsockname(descriptor, $0, &$1) }
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard result == 0, [AF_INET, AF_INET6].contains(Int32(storage.ss_family)),
            getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening != 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
        else {
            throw .addressUnavailable("descriptor \(descriptor)", why: "it is not a listening TCP socket")
        }
        Self.prepareForAccepting(descriptor)
        (self.descriptor, backlog) = (descriptor, nil)
        (host, port) = (PeerAddress(storage).text, PeerAddress.port(of: storage))
    }

    /// Resolves a host to its first address, which the caller frees.
    ///
    /// A numeric address needs no name server.
    private static func resolved(_ host: String, _ port: Int) -> UnsafeMutablePointer<addrinfo>? {
        guard (0...65535).contains(port) else { return nil }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = SystemSocket.stream
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
        return found
    }

    /// Sets the options that accepted sockets inherit.
    ///
    /// A peer that disappeared would hold a quiet stream forever; after a minute of silence the system probes it.
    private static func prepareForAccepting(_ descriptor: Int32) {
        set(TCP_NODELAY, at: Int32(IPPROTO_TCP), descriptor)
        set(SO_KEEPALIVE, at: SOL_SOCKET, descriptor)
        set(SystemSocket.keepAliveIdle, at: Int32(IPPROTO_TCP), descriptor, to: 60)
    }

    /// Sets a socket option; a failure is ignored, since a socket also works without the option.
    private static func set(_ option: Int32, at level: Int32, _ descriptor: Int32, to value: Int32 = 1) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Returns the address that the system bound, which it chooses for port 0 (RFC 6335 §6).
    private static func localAddress(_ descriptor: Int32) -> (String, Int) {
        let (_, storage) = withAddress { getsockname(descriptor, $0, &$1) }
        return (PeerAddress(storage).text, PeerAddress.port(of: storage))
    }

    /// Calls a function of the system that stores a socket address, and returns its result and the address.
    private static func withAddress(
        _ call: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32
    ) -> (result: Int32, address: sockaddr_storage) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        return (result, storage)
    }

    /// Returns the system's description of an error, such as "Permission denied".
    private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}

extension ListeningSocket {
    /// Accepts the next waiting connection; nil if there is none, or if `isOutOfResources`.
    func accept() -> (descriptor: Int32, peer: PeerAddress)? {
        let (connection, storage) = Self.withAddress { SystemSocket.accept(descriptor, $0, &$1) }
        return connection < 0 ? nil : (connection, PeerAddress(storage))
    }

    /// Whether the last `accept()` on this thread failed because the process has no descriptor or memory left.
    static var isOutOfResources: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }

    /// Closes an accepted connection over a limit, with a 503 if that is possible without waiting.
    static func refuse(_ connection: Int32, inPlainText: Bool) {
        let response =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
        if inPlainText { _ = send(connection, response, response.utf8.count, SystemSocket.sendFlags) }
        shutdown(connection, Int32(SHUT_WR))
        SystemSocket.close(connection)
    }

    /// Closes the listener, once.
    func close() { SystemSocket.close(descriptor) }
}
