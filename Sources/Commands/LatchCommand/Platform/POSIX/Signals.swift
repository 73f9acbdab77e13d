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

/// A signal that asks the process to act.
package enum Signal: Sendable, Hashable, CaseIterable {
    /// End gracefully (SIGTERM).
    case terminate
    /// Interrupt from the keyboard (SIGINT).
    case interrupt
    /// Reload the configuration; also sent when the terminal closes (SIGHUP).
    case hangUp

    package var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        }
    }
}

/// The signals of the process, received one after another by the main thread.
///
/// No code runs inside a signal handler. A signal without a listener ends the process, as by default.
package final class Signals: Sendable {
    /// Nil while there is no listener.
    private let listener = Mutex<AsyncStream<Signal>.Continuation?>(nil)
    /// The state of the main thread.
    private struct MainThread {
        /// The thread, once it waits for signals.
        var waiting: pthread_t?
        /// Whether the main actor needs it, which may be known before it waits.
        var isNeeded = false
    }

    private let main = Mutex(MainThread())

    private init() {}

    /// Signals that never arrive, for tests.
    package static var disconnected: Signals { Signals() }

    /// Blocks the signals, which then do not end the process; call it while there is one thread only.
    ///
    /// Later threads inherit the mask, and so do processes, unless `ChildProcess` starts them.
    package static func blocked() -> Signals {
        var set = all()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A closed pipe is noticed where it is written to.
        signal(SIGPIPE, SIG_IGN)
        return Signals()
    }

    /// Returns a stream of the signals from now on, which replaces any earlier stream.
    ///
    /// Unread signals wait in the stream, in order. The system merges equal ones that arrive before `sigwait` takes them.
    package func received() -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        listener.withLock { $0 = continuation }
        return stream
    }

    /// Waits for signals on the calling thread, until it is released.
    ///
    /// Call it on the main thread, after `blocked`.
    package func deliver() {
        let isNeeded = main.withLock { main in
            main.waiting = pthread_self()
            return main.isNeeded
        }
        if !isNeeded { deliver(until: Self.handOver) }
    }

    /// Releases the main thread for the main actor: from now on another thread waits for signals.
    ///
    /// Only a command that uses the main actor calls it, and no other pays for it.
    package func releaseMainThread() {
        let (isFirst, thread) = main.withLock { main in
            defer { main.isNeeded = true }
            return (!main.isNeeded, main.waiting)
        }
        guard isFirst else { return }
        // A queue of its own has a thread of its own.
        DispatchQueue(label: "latch.signals").async {
            var set = Self.all()
            pthread_sigmask(SIG_BLOCK, &set, nil)
            self.deliver(until: nil)
        }
        if let thread { pthread_kill(thread, Self.handOver) }
    }

    /// Delivers each signal as it arrives; returns at `last`, which only this program sends to itself.
    private func deliver(until last: Int32?) {
        var set = Self.all()
        while true {
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0 else { continue }
            if number == last { return }
            guard let signal = Signal.allCases.first(where: { $0.number == number }) else { continue }
            if !passOn(signal) { Self.endProcess(by: signal) }
        }
    }

    /// SIGUSR2, which has no other meaning for this program.
    private static let handOver = SIGUSR2

    /// Passes a signal to the listener and returns whether there is one.
    private func passOn(_ signal: Signal) -> Bool {
        listener.withLock { listener in
            guard case .enqueued = listener?.yield(signal) else { return false }
            return true
        }
    }

    /// Ends the process by a signal, so that the parent sees the reason.
    ///
    /// The default action is restored first, since the parent may have had the signal ignored.
    package static func endProcess(by ending: Signal) {
        signal(ending.number, SIG_DFL)
        var set = all()
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(ending.number)
    }

    /// Returns the set of all signals and of the one that releases the main thread.
    private static func all() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Signal.allCases { sigaddset(&set, signal.number) }
        sigaddset(&set, handOver)
        return set
    }
}
