// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Runs all jobs of a simulation on the thread that drives it, one at a time, in an order that the seed decides.
final class SimulatedExecutor: TaskExecutor {
    /// Jobs that could run now, in the order in which they became ready.
    private let ready = Lock<[UnownedJob]>([])

    /// May be called from any thread; the job waits for the one that drives the simulation.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        ready.withLock { $0.append(job) }
    }

    /// Runs one of the jobs that are ready.
    ///
    /// - Parameter choose: Picks an index below the given count.
    /// - Returns: False when none is ready.
    func runOne(choosing choose: (Int) -> Int) -> Bool {
        let job = ready.withLock { jobs -> UnownedJob? in
            guard !jobs.isEmpty else { return nil }
            return jobs.remove(at: jobs.count == 1 ? 0 : choose(jobs.count))
        }
        job?.runSynchronously(on: asUnownedTaskExecutor())
        return job != nil
    }
}
