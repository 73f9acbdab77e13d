// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A signal that requests an action of the process.
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

/// The signals of the process, received one after another by one thread.
///
/// No code runs inside a signal handler. A signal without a listener ends the process, as by default.
package final class Signals: Sendable {
    /// Nil while there is no listener.
    private let listener = Mutex<AsyncStream<Signal>.Continuation?>(nil)
    /// The work before the end of the process, and its only run.
    private struct Finishing {
        var work: [@Sendable () async -> Bool] = []
        var run: Task<Bool, Never>?
        /// Whether a signal waits for the work.
        var isSignalled = false
        /// Whether the user was told what another interrupt costs.
        var isAnnounced = false
    }

    private let finishing = Mutex(Finishing())

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

    /// Sets the work before the end of the process.
    package func finish(by work: @escaping @Sendable () async -> Bool) { finishing.withLock { $0.work = [work] } }

    /// Whether a signal ends the process once the work is finished.
    package var isSignalled: Bool { finishing.withLock { $0.isSignalled } }

    /// Finishes the work before the end of the process; later callers wait for the same run.
    ///
    /// - Returns: Whether nothing is lost.
    @discardableResult
    package func finishOnce() async -> Bool {
        let run = finishing.withLock { finishing in
            let run = finishing.run ?? finishing.work.first.map { work in Task.detached { await work() } }
            finishing.run = run
            return run
        }
        return await run?.value ?? true
    }

    /// Lets an interrupt end the process from now on, since the user was told what that costs.
    package func announceInterrupt() { finishing.withLock { $0.isAnnounced = true } }

    /// Ends the process by a signal after its work; at once where there is no work, or where the user interrupts it and knows
    /// what that costs.
    ///
    /// A terminal that closes and a manager of services send several signals: none of them is a user's.
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
        // A thread of a queue may have a mask of its own.
        pthread_sigmask(SIG_BLOCK, &set, nil)
        while true {
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0, let signal = Signal.allCases.first(where: { $0.number == number }) else {
                continue
            }
            if !passOn(signal) { end(by: signal) }
        }
    }

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

    /// Returns the set of all signals.
    private static func all() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Signal.allCases { sigaddset(&set, signal.number) }
        return set
    }
}
