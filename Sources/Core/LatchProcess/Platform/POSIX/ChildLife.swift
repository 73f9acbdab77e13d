// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The id of a child process while it is one, and how it ended.
///
/// A thread waits for its end, outside of those that tasks share: that works on every system, tells the end at once,
/// and leaves no zombie where nobody asks.
final class ChildLife: Sendable {
    private enum State {
        case running([CheckedContinuation<ChildProcess.Ending, Never>])
        case ended(ChildProcess.Ending)
    }

    /// The system's number of the process.
    let id: pid_t
    /// Held while a signal is sent and while the process is reaped, so that the id cannot become another one's between.
    private let state = Mutex(State.running([]))

    /// A process that was just started, by nobody else waited for.
    init(id: pid_t) {
        self.id = id
        DispatchQueue(label: "latch.child.life").async { self.waitAndReap() }
    }

    /// How the process ended; nil before it is reaped.
    var ending: ChildProcess.Ending? {
        state.withLock { if case .ended(let ending) = $0 { ending } else { nil } }
    }

    /// Waits until the process is reaped.
    func end() async -> ChildProcess.Ending {
        await withCheckedContinuation { waiter in
            let ending: ChildProcess.Ending? = state.withLock { state in
                switch state {
                case .ended(let ending): return ending
                case .running(let waiters):
                    state = .running(waiters + [waiter])
                    return nil
                }
            }
            if let ending { waiter.resume(returning: ending) }
        }
    }

    /// Sends a signal, unless the process has been reaped.
    func send(_ signal: Int32) {
        state.withLock { if case .running = $0 { kill(id, signal) } }
    }

    /// Blocks until the process has ended, without reaping it: that happens under the lock.
    private func waitAndReap() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (before, ending) = state.withLock { state -> (State, ChildProcess.Ending) in
            let (before, ending) = (state, reaped())
            state = .ended(ending)
            return (before, ending)
        }
        guard case .running(let waiters) = before else { return }
        for waiter in waiters { waiter.resume(returning: ending) }
    }

    /// Takes the process's end from the system, which then forgets it.
    private func reaped() -> ChildProcess.Ending {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        // POSIX <sys/wait.h>: the low seven bits are the signal, the next eight the exit status.
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(by: status & 0x7F)
    }
}
