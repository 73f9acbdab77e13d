// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim
import Glibc

/// The sockets that libcurl wants watched, and those that epoll watches.
///
/// Between two requests on a reused connection libcurl stops watching and starts again. Both are deferred, so that such
/// a request needs no call of epoll_ctl. This applies only to sockets opened through `opened`, since only their end is
/// known.
struct SocketTable {
    private struct Entry {
        /// The events that epoll watches; 0 for an unwatched socket.
        var watched: UInt32 = 0
        /// The events that libcurl requested last, as epoll bits.
        var wanted: UInt32 = 0
        /// Whether it was opened through `opened`, so that its end will be reported.
        var isOurs = false
        /// Whether the peer must send nothing on it between two requests.
        var speaksHTTP1 = false
    }

    private let epoll: CInt
    /// The entries, indexed by descriptor: descriptors are small numbers, and every event looks one up.
    private var entries: [Entry] = []
    /// The corked sockets, whose output the kernel holds back until it is pushed.
    private var corked: [CInt] = []

    /// Creates an empty table.
    init(epoll: CInt) { self.epoll = epoll }

    /// Adds a socket, replacing an earlier one of the same number.
    mutating func opened(_ socket: CInt, speaksHTTP1: Bool = false) {
        // If no descriptor is free, −1 is opened, and libcurl reports that to the request.
        guard socket >= 0 else { return }
        makeRoom(for: socket)
        entries[Int(socket)] = Entry(isOurs: true, speaksHTTP1: speaksHTTP1)
    }

    /// Delays the output of a socket until the driver waits.
    ///
    /// libcurl 7.88 writes the head of an HTTP/2 request and its content separately. It loses the response of a server
    /// that rejects the head immediately (`CurlTransfer.hasLostResponse`). If both are sent together, they are not
    /// rejected halfway.
    mutating func cork(_ socket: CInt) {
        guard socket >= 0 else { return }
        Self.switchOn(TCP_CORK, of: socket)
        corked.append(socket)
    }

    /// Sends the output of the corked sockets, which stay corked (tcp(7)).
    func push() { for socket in corked { Self.switchOn(TCP_NODELAY, of: socket) } }

    private static func switchOn(_ option: CInt, of socket: CInt) {
        var on: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), option, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Removes a closed socket; the kernel removes it from epoll.
    mutating func closed(_ socket: CInt) {
        guard socket >= 0, entries.indices.contains(Int(socket)) else { return }
        entries[Int(socket)] = Entry()
        if !corked.isEmpty { corked.removeAll { $0 == socket } }
    }

    /// Notes that an HTTP/1 response arrived on a socket.
    mutating func speaksHTTP1(_ socket: CInt) {
        guard socket >= 0, entries.indices.contains(Int(socket)), entries[Int(socket)].isOurs else { return }
        entries[Int(socket)].speaksHTTP1 = true
    }

    /// Ends an idle connection if its peer has closed it, or has sent data without a request.
    ///
    /// RFC 9112 §6.3 and §9.5: such bytes belong to no response, and a client reacts to the end of a connection. Then
    /// libcurl finds the connection dead and uses another. HTTP/2 has messages that no request asks for.
    func endIdle(_ socket: CInt) {
        guard entries.indices.contains(Int(socket)), entries[Int(socket)].isOurs, entries[Int(socket)].wanted == 0
        else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &bytes, bytes.count, CInt(MSG_PEEK | MSG_DONTWAIT))
        guard count <= 0 || entries[Int(socket)].speaksHTTP1 else { return }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        shutdown(socket, CInt(SHUT_RDWR))
        // libcurl would find the connection alive as long as there are bytes to read.
        while recv(socket, &bytes, bytes.count, CInt(MSG_DONTWAIT)) > 0 {}
    }

    /// Applies a request of libcurl's socket callback.
    mutating func want(_ what: CInt, of socket: CInt) {
        guard socket >= 0 else { return }
        makeRoom(for: socket)
        let wanted = Self.events(what)
        entries[Int(socket)].wanted = wanted
        if wanted == 0, entries[Int(socket)].isOurs { return }
        watch(wanted, on: socket)
    }

    /// Whether libcurl wants the socket watched.
    func isWanted(_ socket: CInt) -> Bool {
        entries.indices.contains(Int(socket)) && entries[Int(socket)].wanted != 0
    }

    /// Watches for the end of a socket that libcurl does not watch at the moment.
    mutating func awaitEnd(of socket: CInt) {
        makeRoom(for: socket)
        watch(EPOLLRDHUP.rawValue, on: socket)
    }

    /// Returns the events as libcurl's bits, or nil if nothing waits for the socket, which is then no longer watched.
    mutating func meaning(of events: UInt32, on socket: CInt) -> CInt? {
        guard entries.indices.contains(Int(socket)) else { return nil }
        guard entries[Int(socket)].wanted != 0 else {
            watch(0, on: socket)
            return nil
        }
        var meaning: CInt = 0
        if events & EPOLLIN.rawValue != 0 { meaning |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { meaning |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { meaning |= CURL_CSELECT_ERR }
        return meaning
    }

    /// Updates epoll if necessary; after a failure, the socket counts as unwatched and is tried again.
    private mutating func watch(_ wanted: UInt32, on socket: CInt) {
        let watched = entries[Int(socket)].watched
        guard watched != wanted else { return }
        let operation = wanted == 0 ? EPOLL_CTL_DEL : watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        var event = epoll_event(events: wanted, data: epoll_data_t(fd: socket))
        entries[Int(socket)].watched = epoll_ctl(epoll, operation, socket, &event) == 0 ? wanted : 0
    }

    private mutating func makeRoom(for socket: CInt) {
        guard socket >= 0, Int(socket) >= entries.count else { return }
        entries.append(contentsOf: repeatElement(Entry(), count: Int(socket) + 1 - entries.count))
    }

    private static func events(_ what: CInt) -> UInt32 {
        switch what {
        case CURL_POLL_IN: EPOLLIN.rawValue
        case CURL_POLL_OUT: EPOLLOUT.rawValue
        case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
        default: 0
        }
    }
}
#endif
