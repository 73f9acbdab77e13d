// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Runs all jobs of a simulation on the thread that drives it, one at a time, in an order that the seed decides.
final class SimulatedExecutor: TaskExecutor {
    /// Jobs that could run now, in the order in which they became ready, and whose they are.
    private let ready = Lock<[(job: UnownedJob, process: SimulatedProcess?)]>([])

    /// May be called from any thread; the job waits for the one that drives the simulation.
    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job), of: nil) }

    /// The same for a job of a process that may be killed before the job's turn comes.
    func enqueue(_ job: UnownedJob, of process: SimulatedProcess?) {
        ready.withLock { $0.append((job, process)) }
    }

    /// Runs one of the jobs that are ready; those of killed processes are forgotten, with their tasks.
    ///
    /// - Parameter choose: Picks an index below the given count.
    /// - Returns: False when none is ready.
    func runOne(choosing choose: (Int) -> Int) -> Bool {
        let next = ready.withLock { jobs -> (job: UnownedJob, process: SimulatedProcess?)? in
            jobs.removeAll { $0.process?.isKilled ?? false }
            guard !jobs.isEmpty else { return nil }
            return jobs.remove(at: jobs.count == 1 ? 0 : choose(jobs.count))
        }
        guard let next else { return false }
        let executor = next.process?.asUnownedTaskExecutor() ?? asUnownedTaskExecutor()
        next.job.runSynchronously(on: executor)
        return true
    }
}
