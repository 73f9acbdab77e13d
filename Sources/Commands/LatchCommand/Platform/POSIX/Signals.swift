// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A wish from outside of the process.
package enum Signal: Sendable, Hashable, CaseIterable {
    /// End when it suits (SIGTERM).
    case terminate
    /// A person wants it to end (SIGINT).
    case interrupt
    /// Read the configuration again, or: the terminal has gone (SIGHUP).
    case hangUp

    package var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        }
    }
}

/// The signals of the process, taken one after another by the main thread.
///
/// No code of ours runs inside of a signal handler. What nobody listens to does what it always did: it ends the process.
package final class Signals: Sendable {
    /// Nil while nobody listens.
    private let listener = Mutex<AsyncStream<Signal>.Continuation?>(nil)
    /// What is known of the main thread.
    private struct MainThread {
        /// The thread, once it waits for signals.
        var waiting: pthread_t?
        /// Whether it is needed for something else, which may be said before it waits.
        var isNeeded = false
    }

    private let main = Mutex(MainThread())

    private init() {}

    /// Signals that never come, for a verb that is called by a test.
    package static var unheard: Signals { Signals() }

    /// Keeps the signals from ending the process; call it while there is one thread only.
    ///
    /// Threads that are made later inherit the mask, and so do processes, unless they are started by `ChildProcess`.
    package static func blocked() -> Signals {
        var set = all()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A reader that went away is seen where it is written to.
        signal(SIGPIPE, SIG_IGN)
        return Signals()
    }

    /// The signals from now on; only the last one who asked gets them.
    ///
    /// Those that nobody has read yet wait in the stream, in their order. Equal ones that come before `sigwait` takes
    /// them are one, which is how the system keeps them.
    package func received() -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        listener.withLock { $0 = continuation }
        return stream
    }

    /// Waits for signals on the calling thread, until it is needed for something else.
    ///
    /// Call it on the main thread, after `blocked`; the signals of other threads are blocked since they inherit its
    /// mask.
    package func deliver() {
        let isNeeded = main.withLock { main in
            main.waiting = pthread_self()
            return main.isNeeded
        }
        if !isNeeded { deliver(until: Self.handOver) }
    }

    /// Frees the main thread for the main actor: from now on another thread waits for signals.
    ///
    /// A verb needs it that uses what lives on the main actor, and no other pays for it.
    package func freeMainThread() {
        let (isFirst, thread) = main.withLock { main in
            defer { main.isNeeded = true }
            return (!main.isNeeded, main.waiting)
        }
        guard isFirst else { return }
        // A queue of its own is a thread of its own, which has the signals blocked as all have.
        DispatchQueue(label: "latch.signals").async {
            var set = Self.all()
            pthread_sigmask(SIG_BLOCK, &set, nil)
            self.deliver(until: nil)
        }
        if let thread { pthread_kill(thread, Self.handOver) }
    }

    /// Delivers each signal as it comes, and returns at that one which nobody sends but this program to itself.
    private func deliver(until last: Int32?) {
        var set = Self.all()
        while true {
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0 else { continue }
            if number == last { return }
            guard let signal = Signal.allCases.first(where: { $0.number == number }) else { continue }
            if !isHeard(signal) { Self.endProcess(by: signal) }
        }
    }

    /// SIGUSR2, which means nothing to this program.
    private static let handOver = SIGUSR2

    /// Hands a signal to the listener; false where there is none, or none any more.
    private func isHeard(_ signal: Signal) -> Bool {
        listener.withLock { listener in
            guard case .enqueued = listener?.yield(signal) else { return false }
            return true
        }
    }

    /// Ends the process as the signal would have ended it, so that the parent sees why.
    ///
    /// The signal is given back its default first, so that it ends the process even where whoever started it had it
    /// ignored.
    package static func endProcess(by ending: Signal) {
        signal(ending.number, SIG_DFL)
        var set = all()
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(ending.number)
    }

    /// The three signals as a set, and the one that frees the main thread.
    static func all() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Signal.allCases { sigaddset(&set, signal.number) }
        sigaddset(&set, handOver)
        return set
    }
}
