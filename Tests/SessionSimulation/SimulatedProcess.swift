// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// One process of a simulation: where its tasks run, until it is killed and none of them goes on.
///
/// What a killed process was about to do is dropped in the middle, as by `kill -9`: no `defer` runs, no error is seen.
final class SimulatedProcess: TaskExecutor {
    /// Tells the processes of a run apart, in the order of their starts.
    let id: Int
    private let world: SimulatedExecutor
    private let killed = Atomic(false)
    private let stopped = Atomic(false)
    private let stops = Atomic(0)
    /// The step of its storage at which it will be killed, and the action that kills it.
    private let doom = Mutex<Doom?>(nil)

    /// Whether its last change was stored and it was told otherwise: its next look at the record succeeds.
    let isOwedAnAnswer = Mutex(false)

    /// An end that waits for its moment.
    private struct Doom {
        let step: StorageStep
        let kill: @Sendable () -> Void
    }

    /// A process that lives.
    init(_ id: Int, in simulation: Simulation) {
        self.id = id
        world = simulation.executor
    }

    /// Whether it was killed.
    var isKilled: Bool { killed.load(ordering: .relaxed) }

    /// Whether it was stopped: none of its tasks goes on, and its locks stay.
    var isStopped: Bool { stopped.load(ordering: .relaxed) }

    /// The number of times that it was stopped.
    var stopCount: Int { stops.load(ordering: .relaxed) }

    /// Stops it, as a suspended app or a program after Ctrl-Z.
    func stop() {
        stopped.store(true, ordering: .relaxed)
        stops.add(1, ordering: .relaxed)
        world.hold(self)
    }

    /// Lets it go on.
    func resume() {
        stopped.store(false, ordering: .relaxed)
        world.release(self)
    }

    /// Ends it, wherever each of its tasks is.
    func kill() {
        killed.store(true, ordering: .relaxed)
        world.bury(self)
    }

    /// Calls `kill` as soon as the process comes to a step of its storage; `nil` takes that back.
    func doom(at step: StorageStep?, kill: @escaping @Sendable () -> Void = {}) {
        doom.withLock { $0 = step.map { Doom(step: $0, kill: kill) } }
    }

    /// Calls `stop` once, as soon as the process comes to a step of its storage.
    func halt(at step: StorageStep, stop: @escaping @Sendable () -> Void) {
        doom(at: step) { [weak self] in
            self?.doom(at: nil)
            stop()
        }
    }

    /// Says where the process is; returns only if it lives on.
    func reach(_ step: StorageStep) async {
        guard let doom = doom.withLock({ $0 }), doom.step == step else { return }
        doom.kill()
        // Whoever is killed goes no further than to the next job.
        await Task.yield()
    }

    /// Hands the job to the world, which runs it if the process still lives.
    func enqueue(_ job: consuming ExecutorJob) { world.enqueue(UnownedJob(job), of: self) }
}
