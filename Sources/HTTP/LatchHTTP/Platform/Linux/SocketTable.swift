// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

/// Which sockets libcurl wants watched, and which of them epoll watches.
///
/// Between two requests on a kept connection libcurl asks to stop watching and to start again; both are put off, so
/// that a request on a kept connection costs no call of epoll_ctl. Only sockets opened through `opened` are treated
/// so, since only of those is the end known.
struct SocketTable {
    private struct Entry {
        /// What epoll has been told, in its own bits; 0 for a socket that it does not know.
        var watched: UInt32 = 0
        /// What libcurl asked for last, in epoll's bits.
        var wanted: UInt32 = 0
        /// Whether it was opened through `opened`, so that its end will be reported too.
        var isOurs = false
    }

    private let epoll: CInt
    /// By descriptor: the kernel gives out small numbers, and a lookup here is on the way of every event.
    private var entries: [Entry] = []
    /// Those of which the kernel holds back what is written until it is pushed.
    private var corked: [CInt] = []

    /// A table that watches nothing yet.
    init(epoll: CInt) { self.epoll = epoll }

    /// Begins a socket, whatever one of the same number was before.
    mutating func opened(_ socket: CInt) {
        // A process without descriptors left opens −1, and libcurl reports it to the request.
        guard socket >= 0 else { return }
        makeRoom(for: socket)
        entries[Int(socket)] = Entry(isOurs: true)
    }

    /// Lets what is written to a socket go out when the driver waits, and not before.
    ///
    /// libcurl 7.88 writes the head of a request of HTTP/2 and its content one after the other, and loses the answer of
    /// a server that is quick to refuse the head (`CurlTransfer.hasLostAnswer`). Together they are not refused halfway.
    mutating func cork(_ socket: CInt) {
        guard socket >= 0 else { return }
        latch_curl_cork(socket)
        corked.append(socket)
    }

    /// Sends what was written to corked sockets.
    func push() { for socket in corked { latch_curl_push(socket) } }

    /// The kernel forgets a closed socket by itself.
    mutating func closed(_ socket: CInt) {
        guard socket >= 0, entries.indices.contains(Int(socket)) else { return }
        entries[Int(socket)] = Entry()
        if !corked.isEmpty { corked.removeAll { $0 == socket } }
    }

    /// Does what libcurl's socket callback asks for.
    mutating func want(_ what: CInt, of socket: CInt) {
        guard socket >= 0 else { return }
        makeRoom(for: socket)
        let wanted = Self.events(what)
        entries[Int(socket)].wanted = wanted
        if wanted == 0, entries[Int(socket)].isOurs { return }
        watch(wanted, on: socket)
    }

    /// Reports the end of a socket of which libcurl wants nothing now, as something that nobody waits for.
    mutating func awaitEnd(of socket: CInt) {
        makeRoom(for: socket)
        watch(EPOLLRDHUP.rawValue, on: socket)
    }

    /// What happened, in libcurl's bits; nil for a socket that nobody waits for and that is now no longer watched.
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

    /// Tells epoll, where that changes something; a refusal is remembered as not watched and tried again.
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
