// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CEpoll
import Glibc

/// How a loop comes to its end.
struct Draining {
    /// When what still runs is cut off, on the loop's clock.
    let deadline: UInt64
    /// Called once, on the loop's thread.
    let whenDone: @Sendable () -> Void
    /// Whether `whenDone` was called; the thread lives on until no task needs it.
    var isComplete = false
}

extension EventLoop {
    /// Takes in connections that wait, some at a time so that those that are here get their turn.
    func acceptConnections(atMost limit: Int = 64) {
        for _ in 0..<limit {
            guard let (descriptor, peer) = terms.listener.accept() else { return pauseWithoutDescriptor() }
            guard terms.census.admits(peer) else {
                refuse(descriptor)
                continue
            }
            let session = terms.tls?.session(on: descriptor)
            var stream = ByteStream(descriptor, session: session)
            guard session != nil || terms.tls == nil else {
                stream.close()
                terms.census.leaves(peer)
                continue
            }
            let connection = Connection(stream, peer, loop: self)
            connection.token = connections.insert(connection)
            let events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            if !watch(descriptor, connection.token, events) { connection.close() }
        }
    }

    /// With no descriptor or memory left, a connection that waits would wake the loop for ever; so nothing is accepted until the
    /// next tick, when one may have been given back.
    private func pauseWithoutDescriptor() {
        guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { return }
        unwatch(terms.listener.descriptor)
        isAcceptingPaused = true
    }

    /// At a tick: tries again, and stays paused where the listener cannot be watched yet.
    private func resumeAccepting() {
        guard isAcceptingPaused, draining == nil else { return }
        isAcceptingPaused = !watchListener()
    }

    /// Answers a connection for which there is no room, as far as that works without waiting.
    private func refuse(_ descriptor: Int32) {
        let answer =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
        if terms.tls == nil { _ = send(descriptor, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) }
        shutdown(descriptor, Int32(SHUT_WR))
        close(descriptor)
    }

    /// Closes what is over its time, and ends the drain when that is due.
    func lookAtDeadlines() {
        resumeAccepting()
        connections.forEach { if $0.deadline <= now { $0.expire() } }
        if let draining, draining.deadline <= now { connections.forEach { $0.close() } }
    }

    /// Begins to drain: accepts no more, closes idle connections, and calls `whenDone` when none is left.
    func drain(until deadline: UInt64, whenDone: @escaping @Sendable () -> Void) {
        submit { [self] in
            // Who is already in the queue was promised a connection.
            acceptConnections(atMost: 4096)
            unwatch(terms.listener.descriptor)
            draining = Draining(deadline: deadline, whenDone: whenDone)
            connections.forEach { $0.beginDraining() }
            lookAtDeadlines()
        }
    }

    /// At the end of a turn: the drain is over with the last connection, not with the next tick.
    ///
    /// Marked first, since `whenDone` may let others look.
    func completeDrainIfEmpty() {
        guard let draining, !draining.isComplete, connections.isEmpty else { return }
        self.draining?.isComplete = true
        draining.whenDone()
    }
}

#endif
