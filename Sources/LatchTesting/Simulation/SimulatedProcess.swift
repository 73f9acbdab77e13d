// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// One process of a simulation: where its tasks run, until it is killed and none of them goes on.
///
/// What a killed process was about to do is dropped in the middle, as by `kill -9`: no `defer` runs, no error is seen.
final class SimulatedProcess: TaskExecutor {
    /// Tells the processes of a run apart, in the order of their starts.
    let id: Int
    private let world: SimulatedExecutor
    private let killed = Lock(false)

    /// A process that lives.
    init(_ id: Int, in simulation: Simulation) {
        self.id = id
        world = simulation.executor
    }

    /// Whether it was killed.
    var isKilled: Bool { killed.withLock { $0 } }

    /// Ends it, wherever each of its tasks is.
    func kill() { killed.withLock { $0 = true } }

    /// Hands the job to the world, which asks again before it runs it.
    func enqueue(_ job: consuming ExecutorJob) { world.enqueue(UnownedJob(job), of: self) }
}
