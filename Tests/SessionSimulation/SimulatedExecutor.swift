// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Runs all jobs of a simulation on the thread that drives it, one at a time, in an order that the seed decides.
final class SimulatedExecutor: TaskExecutor {
    /// A job that could run now, and its process.
    private struct Ready {
        let job: UnownedJob
        let process: SimulatedProcess?
    }

    /// The ready jobs, in order.
    private let ready = Mutex<[Ready]>([])
    /// The jobs of stopped processes.
    private let held = Mutex<[Ready]>([])
    /// The jobs of killed processes.
    private let buried = Mutex<[Ready]>([])

    /// Enqueues a job from any thread; it waits for the thread that runs the simulation.
    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), of: nil) }

    /// The same for a job of a process; one that was killed goes on with nothing.
    func enqueue(_ job: UnownedJob, of process: SimulatedProcess?) {
        let next = Ready(job: job, process: process)
        if process?.isKilled ?? false {
            buried.withLock { $0.append(next) }
        } else if process?.isStopped ?? false {
            held.withLock { $0.append(next) }
        } else {
            ready.withLock { $0.append(next) }
        }
    }

    /// Takes away what a killed process was about to do.
    func bury(_ process: SimulatedProcess) {
        move(process, from: ready, to: buried)
        move(process, from: held, to: buried)
    }

    /// Keeps what a stopped process was about to do.
    func hold(_ process: SimulatedProcess) { move(process, from: ready, to: held) }

    /// Lets a stopped process go on.
    func release(_ process: SimulatedProcess) { move(process, from: held, to: ready) }

    private func move(
        _ process: SimulatedProcess, from source: borrowing Mutex<[Ready]>, to target: borrowing Mutex<[Ready]>
    ) {
        let jobs = source.withLock { jobs in
            let moved = jobs.filter { $0.process === process }
            jobs.removeAll { $0.process === process }
            return moved
        }
        target.withLock { $0 += jobs }
    }

    /// Runs one of the jobs that are ready.
    ///
    /// - Parameter choose: Picks an index below the given count.
    /// - Returns: False when none is ready.
    func runOne(choosing choose: (Int) -> Int) -> Bool {
        let next = ready.withLock { jobs -> Ready? in
            switch jobs.count {
            case 0: nil
            case 1: jobs.removeLast()
            default: jobs.remove(at: choose(jobs.count))
            }
        }
        guard let next else { return false }
        run(next)
        return true
    }

    /// Lets the tasks of killed processes come to their ends, so that their memory is given back; the world must be one in
    /// which nothing happens any more.
    func unwind() {
        for _ in 0..<100_000 {
            guard
                let next = buried.withLock({ $0.popLast() }) ?? held.withLock({ $0.popLast() })
                    ?? ready.withLock({ $0.popLast() })
            else { return }
            run(next)
        }
    }

    private func run(_ next: Ready) {
        let executor = next.process?.asUnownedTaskExecutor() ?? asUnownedTaskExecutor()
        next.job.runSynchronously(on: executor)
    }
}
