// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchEpoll
import Glibc

/// The thread of an event loop.
enum LoopThread {
    /// The identifier of the calling thread, which is never 0.
    static var current: UInt { UInt(pthread_self()) }

    /// Runs a loop on a new thread, which keeps it alive; returns false if the system has no thread left.
    static func start(_ loop: EventLoop) -> Bool {
        let retained = Unmanaged.passRetained(loop)
        var id = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            guard let argument else { return nil }
            let loop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
            loop.run()
            return nil
        }
        guard pthread_create(&id, nil, body, retained.toOpaque()) == 0 else {
            retained.release()
            return false
        }
        pthread_detach(id)
        return true
    }

    /// Blocks the process's signals on the calling thread, so that none is delivered here or raised by a closed socket.
    static func prepare() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        pthread_setname_np(pthread_self(), "latch-server")
    }
}

#endif
