// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A signal to the process.
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

/// The signals of the process, received one after the other by one thread.
///
/// No code runs inside a signal handler. A signal without a listener ends the process, as by default.
package final class Signals: Sendable {
    /// The listener; nil before ``received()`` is called.
    private let listener = Mutex<AsyncStream<Signal>.Continuation?>(nil)
    /// The work before the end of the process, and the task that runs it once.
    private struct Finishing {
        var work: [@Sendable () async -> Bool] = []
        var run: Task<Bool, Never>?
        /// Whether a signal is waiting for the work.
        var isSignalled = false
        /// Whether the user knows what is lost by another interrupt.
        var isAnnounced = false
    }

    private let finishing = Mutex(Finishing())

    private init() {}

    /// Signals that never arrive, for tests.
    package static var disconnected: Signals { Signals() }

    /// Blocks the signals, so that they do not end the process; call it while only one thread exists.
    ///
    /// Later threads inherit the mask. So do child processes, unless `ChildProcess` starts them.
    package static func blocked() -> Signals {
        var set = all()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A closed pipe is reported by the write instead.
        signal(SIGPIPE, SIG_IGN)
        return Signals()
    }

    /// Returns a stream of all signals from now on, which replaces any earlier stream.
    ///
    /// Unread signals wait in the stream, in order. The system merges equal signals that arrive before `sigwait` takes
    /// them.
    package func received() -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        listener.withLock { $0 = continuation }
        return stream
    }

    /// Sets the work before the end of the process.
    package func finish(by work: @escaping @Sendable () async -> Bool) { finishing.withLock { $0.work = [work] } }

    /// Whether a signal will end the process once the work is finished.
    package var isSignalled: Bool { finishing.withLock { $0.isSignalled } }

    /// Finishes the work before the end of the process; later callers wait for the same run.
    ///
    /// - Returns: Whether all of the work was finished.
    @discardableResult
    package func finishOnce() async -> Bool {
        let run = finishing.withLock { finishing in
            let run = finishing.run ?? finishing.work.first.map { work in Task.detached { await work() } }
            finishing.run = run
            return run
        }
        return await run?.value ?? true
    }

    /// Lets an interrupt end the process from now on, because the user was told what is lost.
    package func announceInterrupt() { finishing.withLock { $0.isAnnounced = true } }

    /// Ends the process by a signal after its work.
    ///
    /// It ends immediately if there is nothing to finish, or if the user interrupts the work and knows what is lost. A
    /// closing terminal and a service manager send several signals, but those are not the user's.
    private func end(by signal: Signal) {
        let (endsNow, isFirst) = finishing.withLock { finishing in
            defer { finishing.isSignalled = true }
            let isUsers = signal == .interrupt && finishing.isSignalled && finishing.isAnnounced
            return (finishing.work.isEmpty || isUsers, !finishing.isSignalled)
        }
        if endsNow { return Self.endProcess(by: signal) }
        if isFirst { Task.detached { await self.finishAndEnd(by: signal) } }
    }

    /// Finishes the work before the end of the process, and ends it by a signal.
    package func finishAndEnd(by signal: Signal) async {
        listener.withLock { $0 = nil }
        finishing.withLock { $0.isSignalled = true }
        await finishOnce()
        Self.endProcess(by: signal)
    }

    /// Waits for signals on the calling thread, and delivers each as it arrives.
    package func deliver() -> Never {
        var set = Self.all()
        // A thread of a queue may have a different mask.
        pthread_sigmask(SIG_BLOCK, &set, nil)
        while true {
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0, let signal = Signal.allCases.first(where: { $0.number == number }) else {
                continue
            }
            if !passOn(signal) { end(by: signal) }
        }
    }

    /// Passes a signal to the listener; returns whether one exists.
    private func passOn(_ signal: Signal) -> Bool {
        listener.withLock { listener in
            guard case .enqueued = listener?.yield(signal) else { return false }
            return true
        }
    }

    /// Ends the process by a signal, so that the parent sees the reason.
    ///
    /// The default action is restored first, because the parent may have set the signal to be ignored.
    package static func endProcess(by ending: Signal) {
        signal(ending.number, SIG_DFL)
        var set = all()
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(ending.number)
    }

    /// Returns the set of all signals.
    private static func all() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Signal.allCases { sigaddset(&set, signal.number) }
        return set
    }
}
