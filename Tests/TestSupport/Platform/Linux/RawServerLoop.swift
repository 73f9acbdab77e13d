// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The thread of a `RawHTTPServer`: one poll loop over all its connections.
final class RawServerLoop {
    /// Closed by the thread, as everything here.
    private let listener: CInt
    /// Readable, by its end, when the server is to stop.
    private let stop: CInt
    /// Sent to each connection before anything is read.
    private let greeting: String
    /// Called on the loop's thread, so it may block all connections, and must not.
    private let script: @Sendable (RawHTTPServer.Request) -> RawHTTPServer.Response
    /// Called on the loop's thread, in the order of what happened.
    private let report: @Sendable (RawHTTPServer.Event) -> Void
    /// The connections by descriptor.
    private var connections: [CInt: RawConnection] = [:]
    /// The number of connections so far, open or closed.
    private var accepted = 0

    /// Takes over both descriptors; nothing runs before `start()`.
    init(
        listener: CInt, stop: CInt, greeting: String,
        script: @escaping @Sendable (RawHTTPServer.Request) -> RawHTTPServer.Response,
        report: @escaping @Sendable (RawHTTPServer.Event) -> Void
    ) {
        self.listener = listener
        self.stop = stop
        self.greeting = greeting
        self.script = script
        self.report = report
    }

    /// Runs the loop on a detached thread that keeps it alive.
    ///
    /// - Throws: `RawHTTPServer.Failure` when there is no thread to be had.
    func start() throws {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<RawServerLoop>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw RawHTTPServer.Failure()
        }
        pthread_detach(thread)
    }

    /// Runs until the other end of `stop` is closed.
    private func run() {
        while true {
            var watched = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            watched.append(pollfd(fd: stop, events: Int16(POLLIN), revents: 0))
            for (socket, connection) in connections {
                let events = connection.hasOutput && !connection.isTrickling ? POLLIN | POLLOUT : POLLIN
                watched.append(pollfd(fd: socket, events: Int16(events), revents: 0))
            }
            let isTrickling = connections.values.contains { $0.isTrickling }
            poll(&watched, nfds_t(watched.count), isTrickling ? 1 : -1)
            if watched[1].revents != 0 { break }
            if watched[0].revents != 0 { accept() }
            for entry in watched[2...] where entry.revents != 0 { serve(entry.fd) }
            for (socket, connection) in connections where connection.isTrickling { flush(socket) }
        }
        // Nobody who loses a connection finds the port open.
        close(listener)
        for socket in connections.keys { close(socket) }
        close(stop)
    }

    /// One connection; those behind it make the listener readable again.
    private func accept() {
        let socket = Glibc.accept(listener, nil, nil)
        guard socket >= 0 else { return }
        // What a process that is started meanwhile inherits stays open when it is closed here.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        var one: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        var connection = RawConnection(number: accepted)
        connection.enqueue(.text(greeting))
        connections[socket] = connection
        report(.opened(connection: accepted))
        accepted += 1
    }

    /// Reads what has come and answers every request that is whole.
    private func serve(_ socket: CInt) {
        guard var connection = connections[socket] else { return }
        guard connection.read(from: socket) else {
            close(socket)
            connections[socket] = nil
            return report(.closedByClient(connection: connection.number))
        }
        while let request = connection.nextRequest() {
            report(.received(request))
            connection.enqueue(script(request))
        }
        connections[socket] = connection
        flush(socket)
    }

    /// Sends what the socket takes, and closes where that was the end.
    private func flush(_ socket: CInt) {
        guard connections[socket]?.flush(to: socket) == true else { return }
        close(socket)
        connections[socket] = nil
    }
}

/// Two ends, of which one tells a server's thread that the other was closed.
func stopper() throws -> (watched: CInt, held: CInt) {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw RawHTTPServer.Failure() }
    return (ends[0], ends[1])
}

/// A listening socket on a free port of 127.0.0.1.
func listeningSocket() throws -> (socket: CInt, port: Int) {
    let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, size) == 0 && listen(socket, 4096) == 0 && getsockname(socket, $0, &size) == 0
        }
    }
    guard socket >= 0, isBound else { throw RawHTTPServer.Failure() }
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
}
#endif
